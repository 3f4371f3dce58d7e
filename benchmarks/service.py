"""The service under load: 32 clients, mixed searches and comparisons; then everything that should not be sent to it.

    python -m benchmarks.service [--seconds 60] [--clients 32]

The service is a process of its own (`infmcs serve molecules`), the clients are another. A client waits for its answer,
checks it against the one computed beforehand without the service, and asks the next. Beside the figures stands what the
same work takes in one thread without HTTP, in processor time: the machine may be busy with other things. A 503 is an
answer; anything else that is not 200 is an error, and a wrong answer ends the run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from infmcs import compare, datasets, durable, provenance
from infmcs.index import Index
from infmcs.web import Limits

RECORD = Path(__file__).parent / "record" / "service.json"
QUESTIONS = 400
RETRY = 0.05  # seconds that a client waits after a 503; a polite one would wait longer, and load less


@dataclass
class Asked:
    """One request and what its answer must hold."""

    kind: str
    path: str
    body: bytes
    expected: Any


@dataclass
class Seen:
    """What the clients saw."""

    times: dict[str, list[float]] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def main() -> None:
    """Run it, print the table, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--abuse", type=float, default=20, help="seconds of requests that should not be sent")
    parser.add_argument("--clients", type=int, default=32)
    chosen = parser.parse_args()
    questions, alone = prepare(QUESTIONS)
    served = Service()
    try:
        asyncio.run(load(served.port, questions[:50], 8, 3.0))  # warm: picks up the libraries, fills caches
        before = served.memory()
        spent = served.processor()
        seen = asyncio.run(load(served.port, questions, chosen.clients, chosen.seconds))
        spent = served.processor() - spent
        after = served.memory()
        refused = asyncio.run(abuse(served.port, chosen.abuse))
        hurt = served.memory()
        again = asyncio.run(load(served.port, questions, chosen.clients, 5.0))
        time.sleep(6)  # longer than a connection is kept
        rested = served.memory()
        numbers = served.numbers()
    finally:
        served.stop()
    wrong = [*seen.wrong, *again.wrong]
    if wrong:
        raise SystemExit(f"wrong answers: {wrong[:3]}")
    facts = {
        "graphs": len(datasets.load("molecules")),
        "clients": chosen.clients,
        "seconds": chosen.seconds,
        "rows": rows(seen, chosen.seconds),
        "statuses": dict(seen.statuses),
        "alone": alone,
        "processor_ms_an_answer": round(1000 * spent / max(1, sum(seen.statuses.values())), 2),
        "memory_MB": {
            "before": before,
            "after load": after,
            "after abuse": hurt,
            "after a rest": rested,
        },
        "abuse": {"seconds": chosen.abuse, "answers": dict(refused)},
        "after_abuse": {"statuses": dict(again.statuses), "rows": rows(again, 5.0)},
        "counted_by_the_service": numbers,
    }
    show(facts)
    if set(seen.statuses) - {"200", "503"} or set(again.statuses) - {"200", "503"} or "500" in refused:
        raise SystemExit("an error that is no 503")
    durable.write_text(RECORD, json.dumps(provenance.record(**facts), indent=1, ensure_ascii=False) + "\n")


def prepare(count: int) -> tuple[list[Asked], dict[str, float]]:
    """Questions with their answers, half searches and half comparisons; and how long they take without a service."""
    graphs = datasets.load("molecules")
    index = Index.build(graphs)
    chance = np.random.default_rng(7)
    questions: list[Asked] = []
    spent: dict[str, float] = {"search": 0.0, "compare": 0.0}
    for k in range(count):
        left, right = (int(one) for one in chance.integers(0, len(graphs), 2))
        started = time.process_time()
        if k % 2:
            found = index.search(graphs[left], top=10)
            expected: Any = [[hit.id, hit.similarity] for hit in found]
            asked = Asked("search", "/api/search", _json({"query": {"id": left}, "top": 10}), expected)
        else:
            answer = compare(graphs[left], graphs[right])
            asked = Asked(
                "compare", "/api/compare", _json({"left": {"id": left}, "right": {"id": right}}), answer.similarity
            )
        spent[asked.kind] += time.process_time() - started
        questions.append(asked)
    random.Random(7).shuffle(questions)
    return questions, {kind: round(1000 * total / (count / 2), 3) for kind, total in spent.items()}


def holds(asked: Asked, told: dict[str, Any]) -> bool:
    """Whether an answer is the one computed beforehand."""
    if asked.kind == "search":
        return told["complete"] is True and [[hit["id"], hit["similarity"]] for hit in told["hits"]] == asked.expected
    return bool(told["proved"] and told["similarity"] == asked.expected)


# -- clients -----------------------------------------------------------------------------------------------------------


async def load(port: int, questions: list[Asked], clients: int, seconds: float) -> Seen:
    """Every client asks one question after another until the time is over."""
    seen, end = Seen(), time.monotonic() + seconds

    async def client(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        place = number * 7919
        while time.monotonic() < end:
            asked = questions[place % len(questions)]
            place += 1
            started = time.perf_counter()
            status, body = await exchange(reader, writer, asked.path, asked.body)
            seen.statuses[str(status)] += 1
            if status == 503:
                await asyncio.sleep(RETRY)
            elif status == 200:
                seen.times.setdefault(asked.kind, []).append(time.perf_counter() - started)
                if not holds(asked, json.loads(body)):
                    seen.wrong.append(f"{asked.path} {asked.body.decode()}")
        writer.close()

    await asyncio.gather(*(client(number) for number in range(clients)))
    return seen


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: bytes, kind: str = "application/json"
) -> tuple[int, bytes]:
    """One request on a connection that stays open."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()
    told = await reader.readuntil(b"\r\n\r\n")
    status = int(told.split(b" ", 2)[1])
    length = re.search(rb"content-length: (\d+)", told.lower())
    return status, await reader.readexactly(int(length[1])) if length else b""


def unkind() -> list[tuple[str, str, bytes, bool]]:
    """What should not be sent: (name, path, body, whether the client hangs up at once)."""
    chance = np.random.default_rng(3)
    dense = [np.argwhere(np.triu(chance.random((60, 60)) < 0.5, 1)).tolist() for _ in range(2)]
    hard = {"left": {"graph": {"n": 60, "edges": dense[0]}}, "right": {"graph": {"n": 60, "edges": dense[1]}}}
    graph = {"n": 100_000, "edges": [[k, k + 1] for k in range(99_999)]}
    body = Limits().body
    return [
        ("malformed JSON", "/api/search", b'{"query": {"id": ', False),
        ("deeply nested JSON", "/api/search", b"[" * 500_000, False),
        ("no UTF-8", "/api/compare", bytes(range(256)) * 100, False),
        ("wrong types", "/api/search", b'{"query": {"id": "1"}, "top": []}', False),
        ("a graph of 100,000 nodes", "/api/search", _json({"query": {"graph": graph}}), False),
        ("2^31 nodes in few words", "/api/search", b'{"query": {"graph": {"n": 2147483647, "edges": []}}}', False),
        ("a body above the limit", "/api/read?name=x.jsonl", b"x" * (body + 1), False),
        ("a hard pair, then silence", "/api/compare", _json(hard), True),
        ("a hard search, then silence", "/api/search/events", _json({"query": hard["left"], "metric": "ged"}), True),
        ("random bytes as a file", "/api/read?name=x.sdf", chance.bytes(200_000), False),
        ("half a request", "/api/read?name=x.g6", b"", True),
    ]


async def abuse(port: int, seconds: float, clients: int = 16) -> Counter[str]:
    """Unkind clients; how each was answered."""
    answers: Counter[str] = Counter()
    end, kinds = time.monotonic() + seconds, unkind()

    async def client(number: int) -> None:
        place = number
        while time.monotonic() < end:
            name, path, body, silent = kinds[place % len(kinds)]
            place += 1
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                if silent:
                    length = len(body) or 1_000_000
                    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    writer.write(f"{head}Content-Length: {length}\r\n\r\n".encode() + (body or b"abc"))
                    await writer.drain()
                    await asyncio.sleep(0.2)
                    answers[f"{name}: hung up"] += 1
                else:
                    status, _ = await asyncio.wait_for(exchange(reader, writer, path, body), 30)
                    answers[f"{name}: {status}"] += 1
                writer.close()
            except (ConnectionError, asyncio.IncompleteReadError):
                answers[f"{name}: refused while sending"] += 1

    await asyncio.gather(*(client(number) for number in range(clients)))
    return answers


# -- the service -------------------------------------------------------------------------------------------------------


class Service:
    """`infmcs serve molecules` as a process of its own."""

    def __init__(self) -> None:
        command = [sys.executable, "-c", "from infmcs.cli import main; main()", "serve", "molecules", "--port", "0"]
        self._process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"}
        )
        assert self._process.stderr is not None
        line = self._process.stderr.readline()
        found = re.search(r":(\d+)/", line)
        if found is None:
            raise SystemExit(f"the service did not start: {line}")
        self.port = int(found[1])
        asyncio.run(self._ready())

    async def _ready(self) -> None:
        for _ in range(200):
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.close()
                return
            except ConnectionError:
                await asyncio.sleep(0.05)

    def memory(self) -> float:
        """Resident, in MB."""
        text = Path(f"/proc/{self._process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", text)
        assert found is not None
        return round(int(found[1]) / 1024, 1)

    def processor(self) -> float:
        """Processor seconds used so far."""
        used = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")

    def numbers(self) -> dict[str, float]:
        """What the service counted itself."""
        import urllib.request

        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        wanted = ("infmcs_abandoned_total", "infmcs_overload_total", "infmcs_overtime_total", "infmcs_running")
        return {name: float(value) for name, _, value in (line.partition(" ") for line in lines) if name in wanted}

    def stop(self) -> None:
        """By the signal that operators use."""
        self._process.terminate()
        self._process.wait(timeout=30)


# -- figures -----------------------------------------------------------------------------------------------------------


def rows(seen: Seen, seconds: float) -> list[dict[str, Any]]:
    """Throughput and times of each kind and of all."""
    found = []
    for kind, times in [*sorted(seen.times.items()), ("all", [one for each in seen.times.values() for one in each])]:
        ms = 1000 * np.array(times or [np.nan])
        quantiles = {f"p{q}_ms": round(float(np.percentile(ms, q)), 2) for q in (50, 90, 99)}
        found.append({"kind": kind, "answers": len(times), "per_second": round(len(times) / seconds, 1), **quantiles})
    return found


def show(facts: dict[str, Any]) -> None:
    """The table."""
    print(
        f"{facts['clients']} clients, {facts['seconds']:g} s, {facts['graphs']:,} molecules; "
        f"statuses {facts['statuses']}"
    )
    for row in facts["rows"]:
        alone = facts["alone"].get(row["kind"])
        beside = f"   without the service {alone:.2f} ms of processor" if alone else ""
        print("{kind:8} {per_second:8.1f} /s   p50 {p50_ms:8.2f} ms   p99 {p99_ms:8.2f} ms".format(**row) + beside)
    print(f"processor: {facts['processor_ms_an_answer']} ms an answer")
    print("memory, MB: " + ", ".join(f"{when} {value}" for when, value in facts["memory_MB"].items()))
    print(f"\n{facts['abuse']['seconds']:g} s of what should not be sent:")
    for name, count in sorted(facts["abuse"]["answers"].items()):
        print(f"  {count:6}  {name}")
    print(f"afterwards: {facts['after_abuse']['rows'][-1]}, statuses {facts['after_abuse']['statuses']}")
    print(f"counted by the service: {facts['counted_by_the_service']}")


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


if __name__ == "__main__":
    main()
