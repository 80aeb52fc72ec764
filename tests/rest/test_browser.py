"""A real browser at a phone's width, without scripts: the inbox, a decision, and its entry in the audit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Locator, Page, expect

from stepgraph.stores.sqlite import SqliteStore
from tests.chromium import chromium
from tests.cli.calling import ASK, REFUND
from tests.rest.serving import Running, serving
from tests.servers.postgres import running_server

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


def test_a_review_is_edited_and_approved_on_a_phone_and_the_audit_knows(
    server: Running, store: Path, phone: Page, tmp_path: Path
) -> None:
    _, started = server.ask("POST", "/api/v1/agent-executions/start?graph=refund-triage&executionId=e-1", {})
    phone.goto(server.url)
    assert fits(phone)
    phone.get_by_text("Refund 240 EUR to Ana").click()
    sees(phone.get_by_text("approve", exact=True))
    assert fits(phone)
    phone.get_by_text("Change values").click()
    phone.get_by_label("order.amount").fill("90")
    phone.get_by_label("Comment").fill("half of it")
    phone.get_by_label("Your name").fill("ana")
    phone.get_by_role("button", name="Look at the changes").click()
    sees(phone.get_by_text("~ order.amount 240 → 90"))
    sees(phone.get_by_text('pay(order_id="8812", amount=90'))
    assert fits(phone)
    phone.get_by_role("button", name="Approve with these changes").click()
    sees(phone.get_by_text("This was decided"))
    picture = tmp_path / "decided.png"
    phone.screenshot(path=picture, full_page=True)
    assert picture.stat().st_size > 5_000
    assert fits(phone)
    sees(phone.get_by_text("→ pay → notify"))
    phone.get_by_role("link", name="Inbox").click()
    sees(phone.get_by_text("Nothing waits for you"))
    with SqliteStore(str(store)) as opened:
        [entry] = opened.audit()
    said = entry.entry
    assert (said["run"], said["review"], said["verb"]) == ("e-1", started["review"]["id"], "edit")
    assert (said["by"], said["source"], said["comment"]) == ("ana", "rest", "half of it")


def test_the_name_is_remembered_and_who_comes_late_is_told(server: Running, phone: Page) -> None:
    start = "/api/v1/agent-executions/start?graph=refund-triage"
    first, second = (server.ask("POST", start, {})[1]["review"] for _ in range(2))
    phone.goto(f"{server.url}/inbox/{first['id']}")
    phone.get_by_label("Your name").fill("ana")
    phone.get_by_role("button", name="Reject").click()
    phone.goto(f"{server.url}/inbox/{second['id']}")
    expect(phone.get_by_label("Your name")).to_have_value("ana", timeout=PATIENCE)
    said = {"decision": "approve", "hash": second["hash"], "by": "ben"}
    assert server.ask("POST", f"/api/v1/reviews/{second['id']}/decision", said)[0] == 200
    phone.get_by_role("button", name="Approve").click()
    sees(phone.get_by_text("was decided before: approve by ben"))
    phone.wait_for_load_state()
    assert phone.get_by_role("button").count() == 0


def test_changes_are_looked_at_before_anybody_says_who_they_are(server: Running, phone: Page) -> None:
    start = "/api/v1/agent-executions/start?graph=refund-triage"
    review = server.ask("POST", start, {})[1]["review"]
    phone.goto(f"{server.url}/inbox/{review['id']}")
    phone.get_by_text("Change values").click()
    phone.get_by_label("order.amount").fill("lots")
    phone.get_by_role("button", name="Look at the changes").click()
    sees(phone.get_by_text("order.amount takes a number"))
    expect(phone.get_by_label("order.amount")).to_have_value("lots", timeout=PATIENCE)
    phone.get_by_label("order.amount").fill("90")
    phone.get_by_role("button", name="Look at the changes").click()
    sees(phone.get_by_text("~ order.amount 240 → 90"))


def test_going_back_and_deciding_again_decides_nothing(server: Running, store: Path, phone: Page) -> None:
    start = "/api/v1/agent-executions/start?graph=refund-triage"
    review = server.ask("POST", start, {})[1]["review"]
    phone.goto(f"{server.url}/inbox/{review['id']}")
    phone.get_by_label("Your name").fill("ana")
    phone.get_by_role("button", name="Reject").click()
    sees(phone.get_by_text("This was decided"))
    phone.go_back()
    if phone.get_by_role("button", name="Approve").count():  # the browser had kept the page
        phone.get_by_label("Your name").fill("ana")
        phone.get_by_role("button", name="Approve").click()
    sees(phone.get_by_text("reject by ana").first)
    with SqliteStore(str(store)) as opened:
        assert [entry.entry["verb"] for entry in opened.audit()] == ["reject"]


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


@pytest.mark.usefixtures("postgres_server")  # skipped where there is none
def test_what_is_written_while_the_store_is_away_is_kept_and_sent_again(tmp_path: Path, phone: Page) -> None:
    with running_server() as store:  # of its own, as it is stopped
        home = str(tmp_path / "home")
        with serving(REFUND, store.fresh_url(), STEPGRAPH_HOME=home) as server:
            start = "/api/v1/agent-executions/start?graph=refund-triage"
            review = server.ask("POST", start, {})[1]["review"]
            phone.goto(f"{server.url}/inbox/{review['id']}")
            phone.get_by_label("Comment").fill("not twice:\nonce")
            phone.get_by_label("Your name").fill("ana")
            store.stop()
            phone.get_by_role("button", name="Reject").click()
            sees(phone.get_by_text("the store does not answer"))
            with phone.expect_navigation():  # to a page that says the same
                phone.get_by_role("button", name="Send it again").click()
            sees(phone.get_by_text("the store does not answer"))
            store.start()
            phone.get_by_role("button", name="Send it again").click()
            sees(phone.get_by_text("reject by ana"))
            phone.wait_for_load_state()  # lines are kept by the style of the page
            assert phone.locator("blockquote").inner_text() == "not twice:\nonce"


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
