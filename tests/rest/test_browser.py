"""A real browser at a phone's width, without scripts: the inbox, a decision, and its entry in the audit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Locator, Page, expect

from tests.chromium import chromium
from tests.cli.calling import ASK, REFUND
from tests.rest.serving import Running, serving

PHONE = 390
PATIENCE = 60_000
"""Milliseconds after which a test that waits for a page has failed."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def server(tmp_path: Path, store: Path) -> Iterator[Running]:
    with serving(REFUND, store, STEPGRAPH_HOME=str(tmp_path / "home")) as running:
        yield running


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": PHONE, "height": 844}, java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    yield page
    context.close()


def sees(part: Locator) -> None:
    """Wait until a part of the page is there to be seen: a click is over before the page that it asks for."""
    part.wait_for(timeout=PATIENCE)


def fits(page: Page) -> bool:
    """Say whether the page, once its style is there, is no wider than the phone."""
    page.wait_for_load_state()
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def test_many_reviews_with_long_and_foreign_words_fit_in_the_dark(browser: Browser, tmp_path: Path) -> None:
    note = "\u0645\u0631\u062d\u0628\u0627 " + "verylongword" * 30 + " \u202eevil"
    graph = tmp_path / "ask.toml"
    graph.write_text(ASK.replace('prompt = "Pay', 'prompt = "{{ order.id }} Pay'), encoding="utf-8")
    start = "/api/v1/agent-executions/start?graph=ask"
    with serving(graph, tmp_path / "runs.db") as server:
        for _ in range(50):
            review = server.ask("POST", start, {"order": {"id": note, "amount": 1}})[1]["review"]
        context = browser.new_context(
            viewport={"width": 360, "height": 740}, java_script_enabled=False, color_scheme="dark"
        )
        page = context.new_page()
        page.goto(server.url)
        expect(page.locator(".cards li")).to_have_count(50, timeout=PATIENCE)
        assert fits(page)
        page.goto(f"{server.url}/inbox/{review['id']}")
        sees(page.get_by_text("\\u202eevil").first)
        assert fits(page)
        context.close()


def test_a_page_of_another_site_cannot_decide(server: Running, browser: Browser) -> None:
    """A form on another page is sent by the browser itself, with all that it sends along."""
    review = server.ask("POST", "/api/v1/agent-executions/start?graph=refund-triage", {})[1]["review"]
    context = browser.new_context()
    page = context.new_page()
    target = f"{server.url}/inbox/{review['id']}"
    page.set_content(
        f'<form method="post" action="{target}"><input name="do" value="approve">'
        f'<input name="by" value="eve"><input name="hash" value="{review["hash"]}"><button>go</button></form>'
    )
    page.get_by_role("button").click()
    sees(page.get_by_text("made by another site"))
    with pytest.raises(Error):  # and its scripts cannot even ask
        page.evaluate(f"fetch('{server.url}/health')")
    context.close()
    assert server.ask("GET", f"/api/v1/reviews/{review['id']}")[1]["status"] == "pending"


def test_the_app_in_the_browser_takes_keys_at_once(tmp_path: Path, browser: Browser) -> None:
    home = str(tmp_path / "home")
    with serving(REFUND, tmp_path / "runs.db", "--web", STEPGRAPH_HOME=home) as server:
        page = browser.new_page(viewport={"width": 1200, "height": 700})
        page.goto(f"http://127.0.0.1:{server.ports[1]}/?token={server.token}")
        assert page.url == f"http://127.0.0.1:{server.ports[1]}/"
        page.goto(server.url)  # which the browser may open, too
        page.get_by_role("link", name="App").click()
        page.locator(".xterm-helper-textarea:focus").wait_for(state="attached", timeout=PATIENCE)
        assert page.title() == "Stepgraph"
        page.keyboard.press("q")  # to the home screen, and out
        page.keyboard.press("q")
        page.get_by_text("Session ended.").wait_for(timeout=PATIENCE)
        page.close()
