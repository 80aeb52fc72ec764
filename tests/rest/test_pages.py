"""The inbox in a browser without scripts: what it shows, what it decides, and what it lets nobody do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest

from tests.cli.calling import ASK
from tests.rest.client import Answer, Client
from tests.rest.conftest import Serve, Served

TOKEN = "a-token-of-many-letters"  # noqa: S105 - of the tests alone
OWN = {"origin": "http://127.0.0.1:8000"}


class Page(HTMLParser):
    """The fields of the forms of a page, and its text."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self.buttons: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self._area: str | None = None
        self.feed(answer.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append(tag)
        name = found.get("name") or ""
        if tag == "input":
            self.fields[name] = found.get("value") or ""
        elif tag == "textarea":
            self._area = name
            self.fields[name] = ""
        elif tag == "button" and name == "do":
            self.buttons.append(found.get("value") or "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = None

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self.fields[self._area] += data.removeprefix("\n")
        self.text += data


def send(client: Client, target: str, fields: Mapping[str, str], **headers: str) -> Answer:
    kind = {"content_type": "application/x-www-form-urlencoded", **OWN, **headers}
    return client("POST", target, urlencode(fields).encode(), **kind)


@pytest.fixture
def address(served: Served) -> str:
    return f"/inbox/{served.pause()['review']}"


@pytest.fixture
def client(served: Served) -> Client:
    return served.client()


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"value:order.amount": "much", "do": "look"}, 422, "takes a number"),
        ({"do": "look"}, 422, "changes nothing"),
        ({"by": " "}, 422, "the form does not say who decides"),
        ({"by": "x" * 201}, 422, "your name has more than 200"),
        ({"text": "x" * 100_001, "do": "respond"}, 422, "the answer has more than 100,000"),
        ({"do": "respond", "text": " "}, 422, "is empty"),
        ({"text": "Ask Ben"}, 422, "the answer that you wrote would be lost"),
        ({"do": "pay"}, 422, "does not offer"),
        ({"do": ""}, 422, "does not offer"),
        ({"hash": "0" * 16}, 403, "look again"),
        ({"form": "0" * 64}, 403, "look again"),
        ({"form": ""}, 403, "look again"),
    ],
)
def test_a_form_that_does_not_fit_decides_nothing_and_keeps_what_was_written(
    served: Served, address: str, client: Client, change: dict[str, str], status: int, said: str
) -> None:
    fields = {
        **Page(client("GET", address)).fields,
        "by": "ana",
        "do": "approve",
        "comment": "long & <thought>",
    }
    answer = send(client, address, {**fields, **change})
    assert answer.status == status
    page = Page(answer)
    assert said in page.text
    assert page.fields["comment"] == "long & <thought>"
    assert served.service.read("e-1").review is not None


def test_a_secret_that_may_be_edited_is_never_sent_and_kept_when_it_is_left_empty(serve: Serve) -> None:
    text = ASK.replace(
        'editable = { "order.amount" = "number" }', 'editable = { token = "text", "order.amount" = "number" }'
    )
    served = serve(text)
    client = served.client()
    target = f"/inbox/{served.pause()['review']}"
    answer = client("GET", target)
    fields = Page(answer).fields
    assert "hunter2" not in answer.text
    assert fields["value:token"] == ""
    seen = Page(send(client, target, {**fields, "by": "ana", "value:token": "correct-horse", "do": "look"}))
    assert "correct-horse" not in seen.text
    assert "correct-horse" not in str(seen.fields)
    looked = Page(send(client, target, {**fields, "by": "ana", "value:order.amount": "3", "do": "look"}))
    assert send(client, target, {**looked.fields, "do": "edit"}).status == 303
    assert served.service.store.values("e-1", 1)["token"] == "hunter2-secret"  # noqa: S105 - of the tests


@pytest.mark.parametrize("sent", ["s3cr3t-" + "abcdefgh" * 40, '{"a": "s3cr3t-%s"}' % ("x" * 300)])
def test_a_secret_that_does_not_fit_is_not_quoted_in_part_either(serve: Serve, sent: str) -> None:
    text = ASK.replace('editable = { "order.amount" = "number" }', 'editable = { token = "number" }')
    served = serve(text)
    client = served.client()
    target = f"/inbox/{served.pause()['review']}"
    fields = Page(client("GET", target)).fields
    answer = send(client, target, {**fields, "by": "ana", "value:token": sent, "do": "look"})
    assert answer.status == 422
    assert "token takes a number" in answer.text
    assert "s3cr3t" not in answer.text


def test_a_form_that_is_sent_twice_decides_once(served: Served, address: str, client: Client) -> None:
    fields = {**Page(client("GET", address)).fields, "by": "ana", "do": "approve"}
    assert send(client, address, fields).status == 303
    again = send(client, address, fields)
    assert again.status == 409
    assert "was decided before: approve by ana" in Page(again).text
    assert served.service.read("e-1").visit_history == ["ask", "pay"]
    assert len(served.service.store.audit()) == 1


def test_pages_load_nothing_from_elsewhere_and_run_no_scripts(address: str, client: Client) -> None:
    for target in ("/inbox", address, "/docs", "/login"):
        answer = client("GET", target)
        assert answer.status == 200
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "script" not in Page(answer).tags
        assert not re.findall(r"""(?:src|href|action)=["']?(?:https?:)?//""", answer.text)
        assert not re.findall(r"\sstyle=", answer.text)
    assert "url(" not in client("GET", "/style.css").text


@pytest.mark.parametrize(
    "headers", [{"origin": "https://evil.example"}, {"origin": "null"}, {"sec_fetch_site": "cross-site"}]
)
def test_another_site_decides_nothing(
    served: Served, address: str, client: Client, headers: dict[str, str]
) -> None:
    fields = {**Page(client("GET", address)).fields, "by": "ana", "do": "approve"}
    assert send(client, address, fields, **headers).status == 403
    assert served.service.read("e-1").review is not None


def test_a_browser_logs_in_with_the_token_and_out_again(served: Served, address: str) -> None:
    client = served.client(host="0.0.0.0", token=TOKEN)  # noqa: S104 - nothing listens
    sent = client("GET", address, accept="text/html")
    assert (sent.status, sent.headers["location"]) == (303, f"/login?next={address}")
    assert client("GET", address).status == 401
    login = Page(client("GET", sent.headers["location"])).fields
    wrong = send(client, "/login", {**login, "token": "wrong"})
    assert wrong.status == 401
    assert "set-cookie" not in wrong.headers
    done = send(client, "/login", {**login, "token": TOKEN})
    assert (done.status, done.headers["location"]) == (303, address)
    cookie = done.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert TOKEN not in cookie
    session = cookie.partition(";")[0]
    assert client("GET", address, cookie=session).status == 200
    assert client("GET", address, cookie=session + "0").status == 401
    assert client("GET", address, cookie="stepgraph=9999999999.").status == 401
    other = send(client, "/login", {**login, "token": TOKEN}).headers["set-cookie"].partition(";")[0]
    assert "Max-Age=0" in send(client, "/logout", {}, cookie=session).headers["set-cookie"]
    assert client("GET", address, cookie=session).status == 401  # a copy of it opens nothing any more
    assert client("GET", address, cookie=other).status == 200
    assert send(client, "/logout", {}, cookie=other.replace("=", "=9")).status == 401
    assert not any(TOKEN in line for line in served.log)


@pytest.mark.parametrize(
    "target", ["https://evil.example", "//evil.example", "/inbox\\evil", "javascript:x", "/api"]
)
def test_logging_in_leads_nowhere_else(served: Served, target: str) -> None:
    client = served.client(token=TOKEN)
    assert send(client, "/login", {"token": TOKEN, "next": target}).headers["location"] == "/inbox"


def test_who_mistypes_an_address_in_a_browser_gets_a_page(client: Client) -> None:
    answer = client("GET", "/nowhere", accept="text/html,*/*;q=0.8")
    assert answer.status == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "this address does not exist" in Page(answer).text
    other = client("GET", "/logout", accept="text/html")
    assert (other.status, other.headers["allow"]) == (405, "POST")
    assert client("GET", "/nowhere").json["code"] == "H404"
