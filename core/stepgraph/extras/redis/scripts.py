"""What the server does in one go: Lua, of which Redis lets nothing else in between.

A script that fails half-way is not rolled back. So each one that writes goes twice through its commands: at
first ``may`` asks of each whether the user has the right to it and its key is of its type, then they are
done. What the server may refuse for want of memory, or as it grows too long, is the first of them.

The keys, after the prefix; a run has its number for ever, and no other run ever gets it:

    format            which version of this layout it is
    made, changes     counters: the last run's number; how often anything was written
    versions          hash: run id -> "number:version:status", which every commit compares and moves
    heads, pointers   hashes: run id -> the run's two parts
    updated:STATUS    sorted set: the runs of that status by when they were changed
    waits             hash: paused run's id -> the review that it waits for
    rows:NO           list: the ledger, row 1 first
    others:NO         list: "row kind" of the rows that are not steps
    bodies:NO, lists:NO   hashes: row -> the two parts of the snapshot at it
    big:NO            hash: hash -> the text of a big value that rows refer to
    definitions       hash: hash -> JSON
    needs:NO, users:HASH  sets: the definitions that a run may need; the numbers of the runs that may need one
    review:ID         list: "row:run id" of the rows about a review
    reviews:NO        set: the reviews of a run
    reviewed          sorted set: "NO:review id" by when something was last recorded about it
    audit             sorted set: the entries by their numbers
    audited           the number of the last entry ever written
    deleted           bits: the numbers of the runs that were deleted; one that is missing without it was lost
"""

from __future__ import annotations

STATUSES = ("ready", "paused", "ended", "failed")

_NAMED = """
local plain = redis
local function foreign(key, is) error({err = 'WRONGTYPE ' .. key .. ' is ' .. is}) end
local function forbidden(name, key) error({err = 'NOPERM run ' .. name .. ' on ' .. key}) end
local redis = {call = function(name, key, ...)
  local answer = plain.pcall(name, key, ...)
  if type(answer) == 'table' and answer.err then
    if string.find(answer.err, '^WRONGTYPE') then foreign(key, 'a ' .. plain.call('TYPE', key).ok) end
    if string.find(answer.err, 'user executing the script') then forbidden(name, key) end
    error(answer)
  end
  return answer
end}
"""
"""Names the key that is of another type, and the command that the user has no right to."""

_MAY = """
local KINDS = {
  format = 'string', changes = 'string', versions = 'hash', heads = 'hash', pointers = 'hash',
  updated = 'zset', waits = 'hash', rows = 'list', nodes = 'string', others = 'list', bodies = 'hash',
  lists = 'hash', big = 'hash', definitions = 'hash', needs = 'set', users = 'set', review = 'list',
  reviews = 'set', reviewed = 'zset', audit = 'zset', audited = 'string', deleted = 'string'
}
local function may(name, key, ...)
  if not plain.acl_check_cmd(name, key, ...) then forbidden(name, key) end
  local kind, wanted = redis.call('TYPE', key).ok, KINDS[string.match(key, '^%a+', #ARGV[1] + 1)]
  if kind ~= 'none' and kind ~= wanted then foreign(key, 'a ' .. kind) end
  if name == 'INCR' then
    local count = redis.call('GET', key) or '0'
    if not string.match(count, '^%d+$') or #count > 15 then foreign(key, 'not a counter') end
  end
end
"""


def _reading(script: str) -> str:
    return _NAMED + script


def _writing(script: str) -> str:
    return _NAMED + _MAY + script


COMMIT = _writing("""
-- ARGV: the prefix; a run's id, number and version to be at ('': it must not be there); its
-- new version, status, review, pointer and time; the number of the last audit entry or ''. Then the commands
-- that write the rest, each behind the number of its words.
-- Gives 0; 1 where the run is at another version, and 2 where the audit is.
local prefix, id, no, before, after, status, review, pointer, time, audited = unpack(ARGV, 1, 10)
local entry = redis.call('HGET', prefix .. 'versions', id) or ''
local expected = before == '' and '' or no .. ':' .. before .. ':'
local old = string.sub(entry, #expected + 1)
if entry ~= expected .. old or (before == '') ~= (entry == '') then return 1 end
if audited ~= '' and (redis.call('GET', prefix .. 'audited') or '0') ~= audited then return 2 end

local member, updated = string.format('%010d:%s', no, id), prefix .. 'updated:'
local function write(act)
  local at = 11
  while at <= #ARGV do
    local words = tonumber(ARGV[at])
    act(unpack(ARGV, at + 1, at + words))
    at = at + words + 1
  end
  act('HSET', prefix .. 'versions', id, no .. ':' .. after .. ':' .. status)
  act('HSET', prefix .. 'pointers', id, pointer)
  act('ZADD', updated .. status, time, member)
  if old ~= '' and old ~= status then act('ZREM', updated .. old, member) end
  if status == 'paused' then
    act('HSET', prefix .. 'waits', id, review)
  elseif old == 'paused' then
    act('HDEL', prefix .. 'waits', id)
  end
  act('INCR', prefix .. 'changes')
end
write(may)
write(redis.call)
return 0
""")

DELETE = _writing("""
-- ARGV: the prefix; the number of the last audit entry or '', how many entries are to be added, and the
-- number and text of each; then the id and version of each run to delete, first those that have an entry.
-- Gives the runs that were deleted; 1, and changes nothing, where an entry would not be true any more.
local prefix, audited, entries, gone = ARGV[1], ARGV[2], tonumber(ARGV[3]), {}
local first = 4 + 2 * entries
local function found(at)
  local no, version = string.match(redis.call('HGET', prefix .. 'versions', ARGV[at]) or '', '^(%d+):(%d+):')
  return version == ARGV[at + 1] and no
end
if entries > 0 then
  if (redis.call('GET', prefix .. 'audited') or '0') ~= audited then return 1 end
  for at = first, first + 2 * entries - 1, 2 do
    if not found(at) then return 1 end
  end
end
local function delete(act, id, no)
  for _, of_all in ipairs({'versions', 'heads', 'pointers', 'waits'}) do
    act('HDEL', prefix .. of_all, id)
  end
  if tonumber(no) < 2 ^ 31 then act('SETBIT', prefix .. 'deleted', no, 1) end
  for _, status in ipairs({'ready', 'paused', 'ended', 'failed'}) do
    act('ZREM', prefix .. 'updated:' .. status, string.format('%010d:%s', tonumber(no), id))
  end
  for _, review in ipairs(redis.call('SMEMBERS', prefix .. 'reviews:' .. no)) do
    act('UNLINK', prefix .. 'review:' .. review)
    act('ZREM', prefix .. 'reviewed', string.format('%010d:%s', tonumber(no), review))
  end
  for _, definition in ipairs(redis.call('SMEMBERS', prefix .. 'needs:' .. no)) do
    local users = prefix .. 'users:' .. definition
    act('SREM', users, no)
    if redis.call('EXISTS', users) == 0 or act == may then
      act('HDEL', prefix .. 'definitions', definition)
    end
  end
  for _, part in ipairs({'rows:', 'nodes:', 'others:', 'bodies:', 'lists:', 'big:', 'needs:', 'reviews:'}) do
    act('UNLINK', prefix .. part .. no)
  end
end
local function write(act)
  gone = {}
  for at = first, #ARGV, 2 do
    local no = found(at)
    if no then
      delete(act, ARGV[at], no)
      gone[#gone + 1] = ARGV[at]
    end
  end
  for at = 4, first - 1, 2 do
    act('ZADD', prefix .. 'audit', ARGV[at], ARGV[at + 1])
    act('SET', prefix .. 'audited', ARGV[at])
  end
  if #gone > 0 then act('INCR', prefix .. 'changes') end
end
write(may)
write(redis.call)
return gone
""")

RUN = _reading("""
-- ARGV: the prefix, a run's id. Gives its version, head, pointer, number of rows, last row; nothing for none.
local prefix, id = ARGV[1], ARGV[2]
local entry = redis.call('HGET', prefix .. 'versions', id)
if not entry then return {} end
local rows = prefix .. 'rows:' .. string.match(entry, '^%d*')
return {
  entry, redis.call('HGET', prefix .. 'heads', id) or '', redis.call('HGET', prefix .. 'pointers', id) or '',
  redis.call('LLEN', rows), redis.call('LINDEX', rows, -1) or ''
}
""")

ROWS = _reading("""
-- ARGV: the prefix, a run's number, the first and last row, ',kind,kind,' of kinds that are no steps.
-- Gives the rows of these kinds, each behind its number.
local prefix, no, first, last, kinds = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local found = {}
for _, other in ipairs(redis.call('LRANGE', prefix .. 'others:' .. no, 0, -1)) do
  local seq, kind = string.match(other, '^(%d+) (%a+)$')
  seq = tonumber(seq)
  if seq and seq >= first and seq <= last and string.find(kinds, ',' .. kind .. ',', 1, true) then
    found[#found + 1] = seq
    found[#found + 1] = redis.call('LINDEX', prefix .. 'rows:' .. no, seq - 1) or ''
  end
end
return found
""")

WAY = _reading("""
-- ARGV: the prefix, a run's number, a row's. Gives the first lines of the rows up to that one.
local found = redis.call('LRANGE', ARGV[1] .. 'rows:' .. ARGV[2], 0, ARGV[3] - 1)
for at, row in ipairs(found) do found[at] = string.match(row, '^[^\\n]*') end
return found
""")

SNAPSHOT = _reading("""
-- ARGV: the prefix, a run's number, a row's. Gives the row of the last snapshot up to that one, its body and
-- its lists; nothing for none.
local bodies, upto, last = ARGV[1] .. 'bodies:' .. ARGV[2], tonumber(ARGV[3]), 0
for _, row in ipairs(redis.call('HKEYS', bodies)) do
  row = tonumber(row)
  if row <= upto and row > last then last = row end
end
if last == 0 then return {} end
local lists = redis.call('HGET', ARGV[1] .. 'lists:' .. ARGV[2], last)
return {last, redis.call('HGET', bodies, last), lists or ''}
""")

LISTS = _reading("""
-- ARGV: the prefix, a run's number, the first and last row. Gives the lists of the snapshots in between, each
-- behind its row.
local lists, found, rows = ARGV[1] .. 'lists:' .. ARGV[2], {}, {}
for _, row in ipairs(redis.call('HKEYS', lists)) do
  row = tonumber(row)
  if row >= tonumber(ARGV[3]) and row <= tonumber(ARGV[4]) then rows[#rows + 1] = row end
end
table.sort(rows)
for _, row in ipairs(rows) do
  found[#found + 1] = row
  found[#found + 1] = redis.call('HGET', lists, row)
end
return found
""")

SIZES = _reading("""
-- ARGV: the prefix, a run's number, hashes. Gives how many bytes each of these big values has, 0 for none.
local found, big = {}, ARGV[1] .. 'big:' .. ARGV[2]
for at = 3, #ARGV do found[#found + 1] = redis.call('HSTRLEN', big, ARGV[at]) end
return found
""")

RUNS = _reading("""
-- ARGV: the prefix, how many of each status (0: all), the statuses. Gives id, head and pointer of each run,
-- as JSON: thousands of short texts are read much more quickly so.
local prefix, limit, found = ARGV[1], tonumber(ARGV[2]), {}
for at = 3, #ARGV do
  for _, member in ipairs(redis.call('ZREVRANGE', prefix .. 'updated:' .. ARGV[at], 0, limit - 1)) do
    local id = string.sub(member, 12)
    found[#found + 1] = id
    found[#found + 1] = redis.call('HGET', prefix .. 'heads', id) or ''
    found[#found + 1] = redis.call('HGET', prefix .. 'pointers', id) or ''
  end
end
return cjson.encode(found)
""")

VERSIONS = _reading("""
-- ARGV: the prefix. Gives a line for each run, its version behind its id: one text is read in no time.
local lines = redis.call('HGETALL', ARGV[1] .. 'versions')
return table.concat(lines, '\\n')
""")

_READ_REVIEW = _reading("""
local prefix = ARGV[1]
local function read_run(id)
  local function of(hash) return redis.call('HGET', prefix .. hash, id) or '' end
  return {id, of('versions'), of('heads'), of('pointers')}
end
local function add_rows(found, review)
  local no = string.match(found[2], '^%d*')
  for _, entry in ipairs(redis.call('LRANGE', prefix .. 'review:' .. review, 0, -1)) do
    local seq, id = string.match(entry, '^(%d+):(.*)$')
    found[#found + 1] = seq
    found[#found + 1] = id == found[1] and redis.call('LINDEX', prefix .. 'rows:' .. no, seq - 1) or ''
  end
  return found
end
local function run_of(review)
  return string.match(redis.call('LINDEX', prefix .. 'review:' .. review, 0) or '', '^%d+:(.*)$')
end
""")

REVIEW = (
    _READ_REVIEW
    + """
-- ARGV: the prefix, a review's id. Gives the id, version, head and pointer of its run; then its rows, each
-- behind its number; nothing for none.
local run = run_of(ARGV[2])
return run and add_rows(read_run(run), ARGV[2]) or {}
"""
)

REVIEWS = (
    _READ_REVIEW
    + """
-- ARGV: the prefix, whether those are wanted that paused runs wait for, how many of the others (0: all).
-- Gives of each its id, and behind it what REVIEW gives; of one that is not there, only the first four.
-- All of it is JSON.
local found, waits, waiting = {}, {}, redis.call('HGETALL', prefix .. 'waits')
for at = 1, #waiting, 2 do
  local run, review = waiting[at], waiting[at + 1]
  waits[review] = true
  if ARGV[2] == '1' then found[#found + 1] = {review, unpack(add_rows(read_run(run), review))} end
end
if ARGV[2] == '1' then return cjson.encode(found) end
for _, name in ipairs(redis.call('ZREVRANGE', prefix .. 'reviewed', 0, -1)) do
  local review = string.sub(name, 12)
  if not waits[review] then
    found[#found + 1] = {review, unpack(add_rows(read_run(run_of(review) or ''), review))}
    if #found == tonumber(ARGV[3]) then break end
  end
end
return cjson.encode(found)
"""
)

LAST_ENTRY = _reading("""
-- ARGV: the prefix. Gives the number of the last audit entry ever written, and the last one there is.
return {
  redis.call('GET', ARGV[1] .. 'audited') or '0', redis.call('ZREVRANGE', ARGV[1] .. 'audit', 0, 0)[1] or ''
}
""")
