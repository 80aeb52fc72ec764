# Needs Python 3.11 or newer and make; everything else goes into .venv, at the versions of constraints.txt.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 3
PYTEST_ARGS ?=
BASE ?=
MINUTES ?= 10
TARGETS ?=
MEASURE ?=
PIP_INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-input -c constraints.txt

# Compiled files are kept apart from the tree, and kept even where the machine says not to: without them each
# of the processes compiles all tests and the whole product anew, and so does each command that a test or a
# benchmark starts.
COMPILED := PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX=$(abspath $(VENV))/pycache
PYTEST := $(COMPILED) $(BIN)/python -m pytest

# A Python that is gone (an upgrade of the machine's, say) leaves stamps that are no longer true.
$(shell [ -x $(BIN)/python ] || rm -f $(VENV)/.runtime $(VENV)/.dev)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test quick coverage check types compiled format keys shipped screenshots soak fuzz bench bench-peers house clean

help:
	@echo 'make run          the app on the refund example, or without a terminal the demo; sets up what it needs'
	@echo 'make test         all tests; PYTEST_ARGS=... goes to pytest, JOBS=n sets the processes'
	@echo 'make quick        in less than a minute: format, lint, and types and tests of what was changed'
	@echo 'make check        format, lint, types, imports, then all tests: what CI runs'
	@echo 'make coverage     all tests, with branch coverage'
	@echo 'make format       put the code into shape'
	@echo 'make keys         KEYS.md, the keys in docs/app.md, and docs/settings.md, from their tables'
	@echo 'make shipped      the digests by which the shipped examples are known, after one of them was changed'
	@echo 'make screenshots  the pictures of the README, taken from the app'
	@echo 'make soak         the long runs: all kills, signals and examples, of which make test takes a sample'
	@echo 'make fuzz         hostile input without end; MINUTES=60 sets how long, TARGETS="templates ..." which'
	@echo 'make bench        the engine beside a bare floor, the drawing and the screen'
	@echo 'make bench-peers  the engine beside LangGraph and Burr, in environments under .bench'
	@echo 'make house        files, rooms, circles, classes, and what one key passes through, counted'
	@echo 'make clean        remove everything that make and the tools made'

run: $(VENV)/.runtime
	@if [ -t 0 ] && [ -t 1 ] && [ -t 2 ]; then $(BIN)/stepgraph graphs/refund_triage.toml; else \
	  $(BIN)/stepgraph demo; echo '  (in this shell first: . $(BIN)/activate)'; fi

test: $(VENV)/.dev
	@$(COMPILED) $(BIN)/python -m tests.twice -q -n $(JOBS) $(PYTEST_ARGS)

quick: $(VENV)/.dev
	@$(COMPILED) $(BIN)/python -m tests.quick $(BASE)

coverage: $(VENV)/.dev
	@$(PYTEST) -q -n $(JOBS) --cov --cov-report=term $(PYTEST_ARGS)

check: $(VENV)/.dev
	@$(BIN)/ruff format --check --quiet --output-format concise || { echo 'Some files are out of shape: run "make format".' >&2; exit 1; }
	@$(BIN)/ruff check --quiet
	@$(BIN)/lint-imports --no-logo
	@$(MAKE) --no-print-directory -j 2 types compiled
	@$(MAKE) --no-print-directory test

types: $(VENV)/.dev
	@$(BIN)/mypy --no-error-summary

# Beside the types, which take one processor: else each process of the tests compiles all of them for itself.
compiled: $(VENV)/.dev
	@$(PYTEST) --collect-only -qq -p no:randomly $(PYTEST_ARGS) >/dev/null || :

format: $(VENV)/.dev
	@$(BIN)/ruff check --quiet --fix-only
	@$(BIN)/ruff format --quiet

screenshots: $(VENV)/.dev
	@$(BIN)/python -m screenshots.take

keys: $(VENV)/.dev
	@$(BIN)/python -m stepgraph_tui.commands docs/app.md > KEYS.md
	@$(BIN)/python -m stepgraph_tui.cli.settings > docs/settings.md

shipped: $(VENV)/.dev
	@$(BIN)/python -m stepgraph.files.shipped > core/stepgraph/files/shipped.json

soak: $(VENV)/.dev
	@STEPGRAPH_EXAMPLES=all $(PYTEST) -q -n $(JOBS) --ignore=tests/app $(PYTEST_ARGS)

fuzz: $(VENV)/.dev
	@$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(TARGETS)

bench: $(VENV)/.dev
	@$(COMPILED) $(BIN)/python -m bench $(MEASURE)

bench-peers: $(VENV)/.dev
	@$(BIN)/python -m bench.peers

house: $(VENV)/.dev
	@$(BIN)/python -m bench.house
	@$(BIN)/python -m bench.journeys

clean:
	@rm -rf $(VENV) .bench build dist htmlcov .coverage .coverage.* .hypothesis
	@rm -rf .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find core tui graphs tests bench screenshots -name __pycache__ -prune -exec rm -rf {} +

# The newest Python that can make an environment. A Python without venv (Debian packages it apart) is skipped.
$(BIN)/python:
	@found=; old=; \
	for name in $(PYTHON) python3.14 python3.13 python3.12 python3.11 python3; do \
	  command -v $$name >/dev/null 2>&1 || continue; \
	  $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	  old=$$name; \
	  if $$name -c 'import ensurepip, venv' 2>/dev/null; then found=$$name; break; fi; \
	done; \
	if [ -z "$$old" ]; then \
	  echo 'Stepgraph needs Python 3.11 or newer, and none was found. Install one, or name it: make PYTHON=/path/to/python3 ...' >&2; exit 1; \
	elif [ -z "$$found" ]; then \
	  echo "$$old cannot make environments: its venv module is missing. On Debian or Ubuntu: apt-get install $$old-venv" >&2; exit 1; \
	fi; \
	echo "Setting up $(VENV) with $$($$found -V)" >&2; \
	$$found -m venv --clear $(VENV)

$(VENV)/.runtime: pyproject.toml constraints.txt $(BIN)/python
	@echo 'Installing Stepgraph into $(VENV)' >&2
	@$(PIP_INSTALL) -e .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt $(BIN)/python
	@echo 'Installing Stepgraph and the development tools into $(VENV)' >&2
	@$(PIP_INSTALL) --no-compile -e '.[dev]'  # what the tests need is compiled apart, and the rest never
	@$(PIP_INSTALL) --no-deps mermaid-parser-py  # for the JavaScript of Mermaid in it; the rest of it is not used
	@touch $@ $(VENV)/.runtime
