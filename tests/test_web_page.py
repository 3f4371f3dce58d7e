"""The page in a real browser: asking, drawing, following links, and what happens when the service is gone."""

from __future__ import annotations

import json
import os
import shutil
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import torch

from infmcs import Graph, datasets, models, web
from infmcs.index import Index
from infmcs.models import Settings
from tests.kit.serving import served, server

playwright_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = os.environ.get("INFMCS_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
AXE = os.environ.get("INFMCS_AXE")  # axe.min.js of the npm package axe-core
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium was found; install it, or name it in INFMCS_CHROMIUM"),
]
WAIT = 20_000  # milliseconds; a busy machine is no failure


@pytest.fixture(scope="module")
def index() -> Index:
    return Index.build(datasets.load("molecules")[:400])


@pytest.fixture(scope="module")
def application(index: Index) -> Any:
    torch.set_num_threads(1)
    settings = Settings(**tomllib.loads(models.preset("infmcs"))["model"] | {"width": 16, "heads": 2})
    return web.app(index, models={"small": models.build(settings, index.collection(), seed=1).eval()})


@pytest.fixture(scope="module")
def address(application: Any) -> Iterator[str]:
    with served(application) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """A page that asks no other host and in which no script fails."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(WAIT)
    asked: list[str] = []
    failed: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    opened.on("pageerror", lambda error: failed.append(str(error)))
    yield opened
    context.close()
    assert asked
    foreign = [url for url in asked if not url.startswith((address, "http://127.0.0.1:", "data:", "blob:"))]
    assert foreign == []
    assert failed == []


def text(page: Any, selector: str) -> str:
    return str(page.inner_text(selector))


def until(page: Any, claim: str) -> None:
    """Wait for a claim in JavaScript. Asked from outside: the page's own policy forbids it to evaluate text."""
    end = time.monotonic() + WAIT / 1000
    while not page.evaluate(claim):
        assert time.monotonic() < end, f"{claim} did not come true"
        page.wait_for_timeout(30)


def searched(page: Any) -> None:
    until(page, "document.querySelector('#claim').textContent.startsWith('Proven')")


def pair_shown(page: Any) -> None:
    until(page, "document.querySelectorAll('#partners tbody tr').length > 0")


def test_a_search_shows_proven_hits_and_each_opens_a_pair(page: Any, address: str, index: Index) -> None:
    page.goto(address)
    page.fill("#find", "NSC12")
    until(page, "document.querySelector('#found button')?.textContent.startsWith('NSC12')")
    page.click("#found button >> nth=0")
    page.wait_for_selector("#query img")
    page.click("#search")
    searched(page)
    first = page.locator("#list li").first
    assert "1.000" in first.inner_text()
    assert "proved" in first.inner_text()
    assert page.locator("#list li").count() == 10
    assert page.locator("#list .bar").first.get_attribute("aria-label") == "similarity 1.000, proved"
    until(page, "document.querySelector('#list img').naturalWidth > 0")
    page.locator("#list a").nth(1).click()
    pair_shown(page)
    assert "in common; similarity" in text(page, "#verdict")
    assert page.evaluate("document.activeElement.id") == "pair-title"
    page.click("#back")
    page.wait_for_selector("#list li")
    assert "#search?" in page.url


def test_the_pair_view_sets_the_model_beside_the_proof(page: Any, address: str) -> None:
    page.goto(f"{address}/#" + "pair?" + urlencode({"left": "id:3", "right": "id:7"}))
    pair_shown(page)
    exact = page.locator("#partners tbody tr").count()
    until(page, "document.querySelector('#partners tbody td:last-child').textContent !== '–'")  # the model's scores
    page.check("[name=view][value=model]")
    until(page, "document.querySelector('#view-told').textContent.includes('It expects')")
    assert "view=model" in page.url
    page.check("[name=view][value=top]")
    until(page, "/They are (a|no) common subgraph/.test(document.querySelector('#view-told').textContent)")
    page.check("[name=view][value=exact]")
    until(page, "document.querySelector('#view-told').textContent.includes('certified')")
    assert page.locator("#partners tbody tr").count() == exact
    assert page.locator("#outside tbody tr").count() > 0
    for row in page.locator("#outside tbody tr td:nth-child(3)").all_inner_texts():
        assert row
    page.locator("#partners tbody button").first.focus()  # from the keyboard, too
    assert page.evaluate("typeof cytoscape") == "function"


def test_a_drawn_query_finds_what_was_drawn(page: Any, address: str) -> None:
    page.goto(address)
    page.click("#tab-draw")
    page.fill("#label", "C")
    paper = page.locator("#paper")
    paper.click(position={"x": 100, "y": 100})
    paper.click(position={"x": 200, "y": 100})
    page.fill("#label", "O")
    paper.click(position={"x": 200, "y": 200})
    paper.click(position={"x": 100, "y": 100})  # two nodes, one after the other: an edge
    paper.click(position={"x": 200, "y": 100})
    assert text(page, "#drawn") == "3 nodes, 1 edge"
    page.select_option("#edge-from", index=1)  # the rest from the keyboard
    page.select_option("#edge-to", index=2)
    page.click("#add-edge")
    assert text(page, "#drawn") == "3 nodes, 2 edges"
    page.click("#use-drawn")
    page.wait_for_selector("#query img")
    page.fill("#top", "3")
    page.click("#search")
    searched(page)
    assert page.locator("#list li").count() == 3
    assert json.loads(dict(_told(page.url))["query"].removeprefix("graph:")) == {
        "n": 3,
        "edges": [[0, 1], [1, 2]],
        "node_labels": ["C", "C", "O"],
    }


def _told(url: str) -> list[tuple[str, str]]:
    from urllib.parse import parse_qsl

    return parse_qsl(url.partition("#")[2].partition("?")[2])


def test_smiles_edge_lists_and_json_can_be_pasted(page: Any, address: str) -> None:
    page.goto(address)
    page.click("#tab-paste")
    for kind, pasted, told in (
        ("smiles", "CCO", "CCO"),
        ("edges", "a b\nb c\nd", "4 nodes, 2 edges"),
        ("json", '{"n": 2, "edges": [[0, 1]]}', "2 nodes, 1 edge"),
        ("text", "t # 0\nv 0 C\nv 1 O\nv 2 N\ne 0 1", "3 nodes, 1 edge"),
    ):
        page.select_option("#paste-kind", kind)
        page.fill("#pasted", pasted)
        page.click("#use-pasted")
        until(page, f"document.querySelector('#query').textContent.includes({json.dumps(told)})")
        assert text(page, "#ask-error") == ""
    page.select_option("#paste-kind", "json")
    page.fill("#pasted", "{")
    page.click("#use-pasted")
    until(page, "document.querySelector('#ask-error').textContent.includes('no JSON')")


def test_a_deep_link_opens_the_same_view_again(page: Any, browser: Any, address: str) -> None:
    told = {"query": "smiles:CCCO", "metric": "mcs", "top": "4"}
    page.goto(f"{address}/#search?{urlencode(told)}")
    searched(page)
    hits = page.locator("#list a").all_inner_texts()
    page.locator("#list a").first.click()
    pair_shown(page)
    other = browser.new_context().new_page()
    other.set_default_timeout(WAIT)
    other.goto(page.url)
    pair_shown(other)
    assert text(other, "#verdict") == text(page, "#verdict")
    other.goto(f"{address}/#search?{urlencode(told)}")
    searched(other)
    assert other.locator("#list a").all_inner_texts() == hits
    other.context.close()


@pytest.mark.parametrize(
    "link", ["#pair?left=id:1", "#pair?left=id:999999&right=id:0", "#search?query=graph:{", "#search?query=smiles:C("]
)
def test_a_broken_link_says_what_is_wrong(page: Any, address: str, link: str) -> None:
    page.goto(f"{address}/{link}")
    until(page, "document.querySelector('#ask-error').textContent.length > 0")
    assert page.is_visible("#ask-error")


def test_a_bad_file_is_told_and_a_good_one_taken(page: Any, address: str, tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.jsonl", tmp_path / "good.jsonl"
    bad.write_text('{"edges": [[0, 7]], "n": 3}\n')
    good.write_text('{"edges": [[0, 1]], "n": 2, "id": "one"}\n{"edges": [], "n": 1, "id": "two"}\n')
    page.goto(address)
    page.click("#tab-upload")
    page.set_input_files("#file", bad)
    until(page, "document.querySelector('#ask-error').textContent.includes('names node 7')")
    assert page.locator("#ask-error").get_attribute("role") == "alert"
    page.set_input_files("#file", good)
    page.wait_for_selector("#uploaded button")
    assert text(page, "#ask-error") == ""
    page.click("#uploaded button >> nth=1")
    until(page, "document.querySelector('#query').textContent.includes('two')")


def test_a_lost_service_is_told_and_found_again(browser: Any, application: Any, index: Index) -> None:
    with server(web.app(index)) as (address, running):
        page = browser.new_context().new_page()
        page.set_default_timeout(WAIT)
        page.goto(f"{address}/#search?{urlencode({'query': 'id:5'})}")
        searched(page)
        hits = page.locator("#list li").count()
        running.should_exit = True
        page.wait_for_timeout(500)
    page.fill("#find", "anything")
    page.wait_for_selector("#lost:not([hidden])")
    assert "cannot be reached" in text(page, "#lost")
    assert page.locator("#list li").count() == hits  # what is shown stays
    with served(web.app(index), int(address.rpartition(":")[2])):
        page.wait_for_selector("#lost", state="hidden")
        searched(page)
    page.context.close()


def test_every_view_is_exported(page: Any, address: str) -> None:
    page.goto(f"{address}/#search?{urlencode({'query': 'id:5', 'top': '3'})}")
    searched(page)
    for kind, begins in (("csv", "rank,id,name"), ("json", '{\n  "query"'), ("svg", "<svg")):
        with page.expect_download() as download:
            page.click(f"[data-hits={kind}]")
        content = Path(download.value.path()).read_text()
        assert content.startswith(begins)
        assert len(content) > 100
    page.locator("#list a").nth(2).click()
    pair_shown(page)
    for kind, begins in (("csv", "left,right,label,score"), ("json", '{\n  "left"'), ("svg", "<svg")):
        with page.expect_download() as download:
            page.click(f"[data-pair={kind}]")
        assert Path(download.value.path()).read_text().startswith(begins)


def test_a_name_with_markup_in_it_stays_text(browser: Any) -> None:
    name = "<img src=x onerror=window.hit=1>"
    graphs = [Graph.from_edges(2, [(0, 1)], labels=[name, "C"], name=name)]
    from infmcs import Collection

    with served(web.app(Index.build(Collection.from_graphs(graphs)))) as address:
        page = browser.new_context().new_page()
        page.set_default_timeout(WAIT)
        page.goto(f"{address}/#search?{urlencode({'query': 'id:0'})}")
        searched(page)
        page.locator("#list a").first.click()
        pair_shown(page)
        assert name in text(page, "#pair-title")
        assert page.evaluate("window.hit") is None
        page.context.close()


def test_a_token_opens_the_page(browser: Any, index: Index) -> None:
    with served(web.app(index, token="t" * 20)) as address:
        page = browser.new_context().new_page()
        page.set_default_timeout(WAIT)
        page.goto(address)
        page.wait_for_selector("#door:not([hidden])")
        page.fill("#token", "t" * 20)
        page.click("#door button")
        page.wait_for_selector("#found button")
        page.context.close()


@pytest.mark.skipif(AXE is None, reason="INFMCS_AXE does not name axe.min.js (npm package axe-core)")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_nothing_stands_in_the_way_of_assistive_technology(browser: Any, address: str, scheme: str, width: int) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True)
    page = context.new_page()
    page.set_default_timeout(WAIT)
    wrong: list[str] = []

    def check(where: str) -> None:
        page.add_script_tag(path=AXE)
        found = page.evaluate("axe.run().then(found => found.violations)")
        wrong.extend(f"{where}: {one['id']}: {one['nodes'][0]['html'][:150]}" for one in found)
        wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        if wide:
            wrong.append(f"{where}: wider than the screen")

    page.goto(address)
    page.wait_for_selector("#found button")
    for tab in ("index", "draw", "paste", "upload"):
        page.click(f"#tab-{tab}")
        check(tab)
    page.goto(f"{address}/#search?{urlencode({'query': 'id:5', 'top': '4'})}")
    page.reload()
    searched(page)
    check("hits")
    page.locator("#list a").nth(1).click()
    pair_shown(page)
    check("pair")
    context.close()
    assert wrong == []
