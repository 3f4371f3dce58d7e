"""The service over HTTP: answers hold, errors are problem documents with a way out, and everything is bounded."""

from __future__ import annotations

import json
import pickle
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import torch

from infmcs import Collection, Graph, certify, datasets, explain, models, pairs, solve, web
from infmcs.errors import ConfigError
from infmcs.index import Index
from infmcs.models import Settings
from infmcs.web.limits import Limits
from infmcs.web.serving import checked_token
from tests.kit.serving import served, server

PROPANOL: dict[str, Any] = {"edges": [[0, 1], [1, 2], [2, 3]], "node_labels": ["C", "C", "C", "O"]}
ETHANOL: dict[str, Any] = {"edges": [[0, 1], [1, 2]], "node_labels": ["C", "C", "O"]}


@pytest.fixture(scope="module")
def index() -> Index:
    return Index.build(datasets.load("molecules")[:300])


@pytest.fixture(scope="module")
def client(index: Index) -> Iterator[httpx.Client]:
    with served(web.app(index)) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


def hard() -> dict[str, Any]:
    """An unlabelled random graph of 60 nodes: with another like it, a search takes hours."""
    draw = np.random.default_rng(3)
    return {"n": 60, "edges": np.argwhere(np.triu(draw.random((60, 60)) < 0.5, 1)).tolist()}


@pytest.fixture
def slow() -> Index:
    """An index in which a search for a hard graph does not end by itself."""
    draw = np.random.default_rng(4)
    edges = [np.argwhere(np.triu(draw.random((60, 60)) < 0.5, 1)) for _ in range(3)]
    return Index.build(Collection.from_graphs(Graph.from_edges(60, one) for one in edges))


def problem(response: httpx.Response, status: int) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    told: dict[str, Any] = response.json()
    assert told["status"] == status
    assert told["type"].startswith("urn:infmcs:problem:")
    assert told["title"]
    assert told["detail"]
    return told


# -- answers -----------------------------------------------------------------------------------------------------------


def test_a_search_gives_what_the_index_gives(client: httpx.Client, index: Index) -> None:
    told = client.post("/api/search", json={"query": {"graph": PROPANOL}, "top": 5}).json()
    query = Graph.from_edges(4, PROPANOL["edges"], PROPANOL["node_labels"])
    expected = index.search(query, top=5)
    assert [(hit["id"], hit["similarity"]) for hit in told["hits"]] == [(h.id, h.similarity) for h in expected]
    assert told["complete"] is expected.complete is True
    for hit in told["hits"]:
        found = index.graph(hit["id"])
        size = certify.common_subgraph(query, found, hit["mapping"]).size
        assert hit["lower"] == pairs.nmcs(size, query.size, found.size) <= hit["upper"]
        assert (hit["nodes"], hit["edges"]) == (found.size, len(found.edges))


def test_a_query_may_be_a_graph_of_the_index_smiles_or_text(client: httpx.Client) -> None:
    for query in (
        {"id": 17},
        {"smiles": "CCCO"},
        {"text": '{"edges": [[0, 1]], "node_labels": ["C", "O"]}'},
        {"text": "t # 0\nv 0 C\nv 1 O\ne 0 1\n", "format": "gspan"},
    ):
        told = client.post("/api/search", json={"query": query, "top": 1}).json()
        assert told["complete"], told
    assert client.post("/api/search", json={"query": {"id": 17}}).json()["hits"][0]["id"] == 17


def test_streamed_hits_come_at_once_and_end_with_the_proven_ranking(client: httpx.Client) -> None:
    wish = {"query": {"id": 5}, "top": 3}
    events = client.post("/api/search/events", json=wish).text.strip().split("\n\n")
    names = [event.split("\n")[0] for event in events]
    assert names == ["event: hits"] * (len(events) - 1) + ["event: done"]
    last = json.loads(events[-2].split("data: ")[1])
    assert last["hits"] == client.post("/api/search", json=wish).json()["hits"]
    assert json.loads(events[-1].split("data: ")[1])["complete"] is True


def test_a_streamed_search_that_is_hard_improves_until_its_time_is_over(slow: Index) -> None:
    with served(web.app(slow)) as address:
        response = httpx.post(
            f"{address}/api/search/events", json={"query": {"graph": hard()}, "top": 2, "seconds": 4}, timeout=30
        )
    found = [json.loads(event.split("data: ")[1]) for event in response.text.strip().split("\n\n")]
    lowers = [each["hits"][0]["lower"] for each in found[:-1] if each["hits"]]
    assert len(lowers) >= 2
    assert lowers == sorted(lowers)
    assert found[-1]["complete"] is False


@pytest.mark.parametrize("metric", ["mcs", "ged"])
def test_a_comparison_is_certified_and_tells_why_nodes_stay_outside(client: httpx.Client, metric: str) -> None:
    wish = {"left": {"graph": PROPANOL}, "right": {"graph": ETHANOL}, "metric": metric}
    told = client.post("/api/compare", json=wish).json()
    a = Graph.from_edges(4, PROPANOL["edges"], PROPANOL["node_labels"])
    b = Graph.from_edges(3, ETHANOL["edges"], ETHANOL["node_labels"])
    assert told["proved"]
    assert told["lower"] == told["similarity"] == told["upper"]
    if metric == "mcs":
        assert certify.common_subgraph(a, b, told["mapping"]).size == 3
        assert [(one["side"], one["node"], one["reason"]) for one in told["unmatched"]] == [("left", 0, "taken")]
    else:
        assert sum(edit["cost"] for edit in told["edits"]) == solve.edit_distance(a, b).upper
    for v, w in told["mapping"]:  # partners stand at the same place
        assert told["positions"]["left"][v] == pytest.approx(told["positions"]["right"][w], abs=0.01)


def test_the_model_that_an_index_carries_is_offered_and_explains() -> None:
    torch.set_num_threads(1)
    graphs = datasets.load("molecules")[:30]
    tiny = Settings(width=8, heads=2, hops=2, positions=8)
    index = Index.build(graphs, model=models.build(tiny, graphs, seed=1).eval())
    a, b = index.graph(3), index.graph(5)
    with served(web.app(index)) as address:
        assert [one["name"] for one in httpx.get(f"{address}/api/models").json()["models"]] == ["index"]
        wish = {"left": {"id": 3}, "right": {"id": 5}, "model": "index"}
        told = httpx.post(f"{address}/api/explain", json=wish, timeout=30).json()
        pair = httpx.post(f"{address}/api/compare", json=wish, timeout=30).json()
        problem(httpx.post(f"{address}/api/explain", json=wish | {"model": "other"}), 404)
    assert [len(told["scores"][side]) for side in ("left", "right")] == [a.size, b.size]
    assert told["similarity"] == pytest.approx(pair["score"], abs=1e-5)
    certify.common_subgraph(a, b, told["decoded"])
    assert certify.common_subgraph(a, b, told["mapping"]).size == told["lower"] <= told["upper"]
    side = {"left": (a, b), "right": (b, a)}[told["top"]["side"]]
    assert told["top"]["holds"] is explain.contained(side[0], told["top"]["nodes"], side[1])


def test_molecules_are_placed_as_molecules(client: httpx.Client) -> None:
    told = client.post("/api/compare", json={"left": {"id": 3}, "right": {"id": 5}}).json()
    assert told["positions"]["molecule"] is True
    assert told["left"]["edge_labels"]


def test_graphs_are_listed_found_by_name_shown_and_drawn(client: httpx.Client, index: Index) -> None:
    page = client.get("/api/graphs", params={"first": 10, "count": 3}).json()
    assert page["total"] == len(index)
    assert [row["id"] for row in page["graphs"]] == [10, 11, 12]
    name = page["graphs"][1]["name"]
    assert 11 in [row["id"] for row in client.get("/api/graphs", params={"name": name.lower()}).json()["graphs"]]
    told = client.get("/api/graphs/11").json()
    assert Graph.from_edges(told["n"], told["edges"], told["node_labels"], told["edge_labels"]) == index.graph(11)
    drawn = client.get("/api/graphs/11/picture", params={"marked": "0,1"})
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert drawn.text.startswith("<svg")
    both = client.post("/api/picture", json={"left": {"id": 11}, "right": {"id": 11}, "mapping": [[0, 0]]})
    assert both.text.startswith("<svg")


def test_a_file_in_any_format_can_be_read(client: httpx.Client) -> None:
    content = b"t # a\nv 0 C\nv 1 N\ne 0 1\nt # b\nv 0 C\n"
    told = client.post("/api/read", params={"name": "two.gspan"}, content=content).json()
    assert told["total"] == 2
    assert told["graphs"][0]["node_labels"] == ["C", "N"]


def test_numbers_and_health_are_told(client: httpx.Client) -> None:
    assert client.get("/api/health").json() == {"status": "ok"}
    client.get("/nowhere")
    text = client.get("/metrics").text
    assert 'infmcs_requests_total{route="/api/health",method="GET",status="200"}' in text
    assert "infmcs_graphs 300" in text
    assert "infmcs_resident_bytes " in text
    for line in text.splitlines():
        assert line.startswith("#") or len(line.rsplit(" ", 1)) == 2


def test_the_description_and_its_page_need_no_other_host(client: httpx.Client) -> None:
    text = client.get("/docs").text
    assert "http://" not in text.replace("http://127.0.0.1", "")
    assert "https://" not in text
    described = client.get("/openapi.json").json()
    assert "Problem" in described["components"]["schemas"]
    for path, methods in described["paths"].items():
        for method, each in methods.items():
            assert each["summary"], (path, method)
            assert "503" in each["responses"]
    for address in ("/static-offline-docs/swagger-ui.css", "/static-offline-docs/swagger-ui-bundle.js"):
        assert client.get(address).status_code == 200


# -- what is refused ---------------------------------------------------------------------------------------------------

DEEP = b"[" * 200_000
BAD: list[tuple[str, str, Any, int, str]] = [
    ("POST", "/api/search", {}, 422, "query"),
    ("POST", "/api/search", {"query": {}}, 422, "one of id, graph, smiles, text"),
    ("POST", "/api/search", {"query": {"id": 1, "smiles": "C"}}, 422, "id and smiles"),
    ("POST", "/api/search", {"query": {"id": 999_999}}, 404, "no graph 999999"),
    ("POST", "/api/search", {"query": {"id": -1}}, 422, "query.id"),
    ("POST", "/api/search", {"query": {"id": 1}, "top": 10**9}, 422, "up to 100"),
    ("POST", "/api/search", {"query": {"id": 1}, "seconds": 1e9}, 422, "10"),
    ("POST", "/api/search", {"query": {"id": 1}, "threshold": 2}, 422, "threshold"),
    ("POST", "/api/search", {"query": {"id": 1}, "unknown": 1}, 422, "unknown"),
    ("POST", "/api/search", b'{"query": {"id": 1}, "threshold": NaN}', 422, "threshold"),
    ("POST", "/api/search", DEEP, 400, "body"),
    ("POST", "/api/search", b'{"query": ', 422, "JSON"),
    ("POST", "/api/search", b"\xff\xfe\x00", 400, "body"),
    ("POST", "/api/search", {"query": {"graph": {"edges": [[0, 9]], "n": 3}}}, 422, "names node 9"),
    ("POST", "/api/search", {"query": {"graph": {"edges": [[0, 1.5]], "n": 3}}}, 422, "edges"),
    ("POST", "/api/search", {"query": {"graph": {"edges": [], "n": 501}}}, 422, "up to 500"),
    ("POST", "/api/search", {"query": {"graph": {"edges": [], "n": 2**40}}}, 422, "n:"),
    ("POST", "/api/search", {"query": {"graph": {"edges": []}}}, 422, "number of nodes is missing"),
    ("POST", "/api/search", {"query": {"graph": {"edges": [], "n": 2, "node_labels": ["C"]}}}, 422, "labels"),
    ("POST", "/api/search", {"query": {"graph": {"edges": [], "n": 1, "features": [["x"]]}}}, 422, "features"),
    ("POST", "/api/search", {"query": {"smiles": "C(C"}}, 422, "SMILES"),
    ("POST", "/api/search", {"query": {"text": "t # 0\nv 0 C\nt # 1\nv 0 C\n"}}, 422, "2 graphs"),
    ("POST", "/api/search", {"query": {"text": "nonsense"}}, 422, "format"),
    ("POST", "/api/search", {"query": {"text": "x", "format": "../../etc/passwd"}}, 422, "no format"),
    ("POST", "/api/compare", {"left": {"id": 0}, "right": {"id": 1}, "model": "/etc/passwd"}, 404, "no model"),
    ("POST", "/api/explain", {"left": {"id": 0}, "right": {"id": 1}, "model": "index"}, 404, "offered: none"),
    ("POST", "/api/compare", {"left": {"id": 0}, "right": {"id": 1}, "metric": "cosine"}, 422, "metric"),
    ("POST", "/api/picture", {"left": {"id": 0}, "right": {"id": 1}, "mapping": [[0, 10**6]]}, 422, "node"),
    ("POST", "/api/read?name=x.pkl", pickle.dumps({"a": 1}), 422, "x.pkl"),
    ("POST", "/api/read?name=../../x.jsonl", b"{", 422, "x.jsonl, line 1"),
    ("POST", "/api/read", b"", 422, "empty"),
    ("GET", "/api/graphs/0/picture?marked=1;2", None, 422, "marked"),
    ("GET", "/api/graphs/0/picture?marked=99999", None, 422, "99999"),
    ("GET", "/api/graphs/x", None, 422, "id"),
    ("GET", "/api/graphs?count=100000", None, 422, "count"),
    ("GET", "/static/../../../../etc/passwd", None, 404, "Not Found"),
    ("GET", "/static/%2e%2e/%2e%2e/limits.py", None, 404, "Not Found"),
    ("PUT", "/api/search", None, 405, "Method"),
    ("POST", "/api/graphs?name=x.jsonl", b"{}", 403, "not to be changed"),
    ("DELETE", "/api/graphs/0", None, 403, "not to be changed"),
]


@pytest.mark.parametrize(("method", "path", "body", "status", "words"), BAD, ids=[f"{b[1]} {b[4]}" for b in BAD])
def test_bad_input_is_told_what_was_expected(
    client: httpx.Client, method: str, path: str, body: Any, status: int, words: str
) -> None:
    sent = {"content": body} if isinstance(body, bytes) else {"json": body} if body is not None else {}
    headers = {"Content-Type": "application/json"} if isinstance(body, bytes) and "read" not in path else {}
    response = client.request(method, path, headers=headers, **sent)
    told = problem(response, status)
    assert words in json.dumps(told, ensure_ascii=False)
    assert tempfile.gettempdir() not in response.text
    assert "Traceback" not in response.text


def test_a_body_that_is_too_large_is_refused_before_it_is_read(index: Index) -> None:
    with served(web.app(index, limits=Limits(body=10_000, question=100))) as address:
        problem(httpx.post(f"{address}/api/read", content=b"x" * 10_001), 413)
        problem(httpx.post(f"{address}/api/search", json={"query": {"smiles": "C" * 200}}), 413)
        pieces = (b"x" * 1_000 for _ in range(1_000))  # no length is told
        problem(httpx.post(f"{address}/api/read", content=pieces), 413)


def test_a_client_that_sends_too_slowly_is_let_go(index: Index) -> None:
    with served(web.app(index, limits=Limits(sending=0.2))) as address:
        port = int(address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"POST /api/read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc")
            assert b"408" in connection.recv(1_000)


def test_other_sites_and_other_names_may_not_call(client: httpx.Client) -> None:
    problem(client.get("/api/about", headers={"Host": "attacker.example"}), 403)
    problem(client.get("/api/about", headers={"Origin": "http://attacker.example"}), 403)
    assert client.get("/api/about", headers={"Origin": str(client.base_url)}).status_code == 200


def test_a_token_is_asked_for_and_the_page_is_not_secret(index: Index) -> None:
    with served(web.app(index, token="a" * 20)) as address:
        for said in (None, b"Bearer " + b"b" * 20, "Bearer ünknown".encode()):
            headers = httpx.Headers([] if said is None else [(b"Authorization", said)])
            told = problem(httpx.get(f"{address}/api/about", headers=headers), 401)
            assert "Bearer" in told["hint"]
            problem(httpx.get(f"{address}/metrics", headers=headers), 401)
        assert httpx.get(f"{address}/api/about", headers={"Authorization": "Bearer " + "a" * 20}).status_code == 200
        assert httpx.get(f"{address}/api/health").status_code == 200
        assert httpx.get(f"{address}/").status_code == 200


def test_an_address_of_other_machines_needs_a_token() -> None:
    for host in ("127.0.0.1", "::1", "localhost", "127.1.2.3"):
        assert checked_token(host, None) is None
    for host in ("0.0.0.0", "::", "192.168.1.5", "example.org"):  # noqa: S104  # asked about, not listened on
        with pytest.raises(ConfigError, match="token"):
            checked_token(host, None)
        assert checked_token(host, "x" * 16) == "x" * 16
    with pytest.raises(ConfigError, match="shorter"):
        checked_token("127.0.0.1", "short")


# -- work that ends ----------------------------------------------------------------------------------------------------


def _until(claim: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.02)


def _hanging(address: str, path: str, body: dict[str, Any]) -> socket.socket:
    """A request whose answer nobody has read yet."""
    content = json.dumps(body).encode()
    connection = socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])))
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(content)}"
    )
    connection.sendall(head.encode() + b"\r\n\r\n" + content)
    return connection


@pytest.mark.parametrize("path", ["/api/search", "/api/search/events", "/api/compare"])
def test_a_search_in_flight_ends_when_its_client_leaves(slow: Index, path: str) -> None:
    app = web.app(slow, limits=Limits(workers=1, seconds=600))
    workshop = app.state.service.workshop
    body: dict[str, Any] = {"query": {"graph": hard()}}
    if path == "/api/compare":
        body = {"left": {"graph": hard()}, "right": {"id": 0}}
    with served(app) as address:
        connection = _hanging(address, path, body)
        _until(lambda: workshop.running == 1)
        if path == "/api/search/events":
            assert connection.recv(100_000).startswith(b"HTTP/1.1 200")  # the first hits show at once
            _until(lambda: workshop.running == 1)
        connection.close()
        _until(lambda: workshop.running == 0)
        told = httpx.post(f"{address}/api/search", json={"query": {"graph": ETHANOL}}, timeout=30).json()
        assert told["complete"]  # the one worker is free again
        assert "infmcs_abandoned_total 1" in httpx.get(f"{address}/metrics").text


def test_workers_are_free_again_whenever_clients_leave(slow: Index) -> None:
    app = web.app(slow, limits=Limits(workers=2, seconds=600))
    workshop = app.state.service.workshop
    chance = np.random.default_rng(1)
    with served(app) as address:
        for path in ("/api/search", "/api/search/events") * 6:
            connections = [_hanging(address, path, {"query": {"graph": hard()}}) for _ in range(5)]
            for connection in connections:
                time.sleep(float(chance.random()) * 0.03)
                connection.close()
        _until(lambda: workshop.running == workshop.waiting == 0)
        for _ in range(5):
            assert httpx.post(f"{address}/api/search", json={"query": {"graph": ETHANOL}}, timeout=30).is_success


def test_overload_is_answered_with_503_and_when_to_come_back(slow: Index) -> None:
    app = web.app(slow, limits=Limits(workers=1, queue=1, seconds=600, patience=600))
    workshop = app.state.service.workshop
    with served(app) as address:
        working = _hanging(address, "/api/search", {"query": {"graph": hard()}})
        _until(lambda: workshop.running == 1)
        waiting = _hanging(address, "/api/search", {"query": {"graph": hard()}})
        _until(lambda: workshop.waiting == 1)
        for _ in range(5):
            response = httpx.post(f"{address}/api/search", json={"query": {"id": 0}})
            problem(response, 503)
            assert int(response.headers["retry-after"]) > 0
        assert httpx.get(f"{address}/api/health").status_code == 200  # what needs no worker still answers
        working.close()
        waiting.close()
        _until(lambda: workshop.running == workshop.waiting == 0)


def test_work_whose_time_is_over_is_ended(slow: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infmcs.web.work.GRACE", 0.2)
    monkeypatch.setattr("infmcs.web.api.Budget", lambda **_: None)  # a search that keeps no budget
    app = web.app(slow, limits=Limits(workers=1, seconds=0.2))
    with served(app) as address:
        told = problem(httpx.post(f"{address}/api/search", json={"query": {"graph": hard()}}, timeout=30), 503)
        assert "within" in told["detail"]
        _until(lambda: app.state.service.workshop.running == 0)


def test_stopping_lets_an_answer_under_way_come_to_its_end(slow: Index) -> None:
    with server(web.app(slow)) as (address, running):
        found: list[httpx.Response] = []
        body = {"query": {"graph": hard()}, "seconds": 1}
        thread = threading.Thread(
            target=lambda: found.append(httpx.post(f"{address}/api/search", json=body, timeout=30))
        )
        thread.start()
        time.sleep(0.3)
        running.should_exit = True
        thread.join(timeout=30)
        assert found[0].status_code == 200


# -- changes -----------------------------------------------------------------------------------------------------------


def test_graphs_are_added_and_deleted_for_good(tmp_path: Path) -> None:
    Index.build(Collection.from_graphs([Graph.from_edges(2, [(0, 1)], ["C", "O"], name="first")])).save(tmp_path / "i")
    with served(web.app(Index.open(tmp_path / "i"), writable=True)) as address:
        line = json.dumps(ETHANOL | {"id": "ethanol"}).encode()
        added = httpx.post(f"{address}/api/graphs", params={"name": "x.jsonl"}, content=line)
        assert (added.status_code, added.json()) == (201, {"ids": [1]})
        assert len(Index.open(tmp_path / "i")) == 2
        assert httpx.get(f"{address}/api/graphs").json()["total"] == 2
        assert httpx.post(f"{address}/api/search", json={"query": {"graph": ETHANOL}}).json()["hits"][0]["id"] == 1
        assert httpx.delete(f"{address}/api/graphs/0").status_code == 204
        problem(httpx.delete(f"{address}/api/graphs/0"), 404)
        problem(httpx.post(f"{address}/api/graphs", content=b"nonsense"), 422)
    assert Index.open(tmp_path / "i").ids.tolist() == [1]


def test_a_change_that_cannot_be_stored_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Index.build(Collection.from_graphs([Graph.from_edges(1, [])])).save(tmp_path / "i")
    index = Index.open(tmp_path / "i")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Index, "save", full)
    with served(web.app(index, writable=True)) as address:
        told = problem(httpx.post(f"{address}/api/graphs", content=b'{"edges": [], "n": 2}'), 507)
        assert "No space left" in told["detail"]
        assert httpx.get(f"{address}/api/graphs").json()["total"] == 1


def test_a_body_far_above_the_limit_still_hears_its_answer(index: Index) -> None:
    with served(web.app(index, limits=Limits(body=1 << 20))) as address:
        problem(httpx.post(f"{address}/api/read", content=b"x" * (5 << 20)), 413)
        assert httpx.get(f"{address}/api/health").status_code == 200
