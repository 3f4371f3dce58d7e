"""Rewrite the generated tables of README and docs from benchmark records: `python -m tools.tables [--check]`.

A generated part stands between `<!-- NAME: begin -->` and `<!-- NAME: end -->`. Nothing is measured here; a table whose
record is missing is an error. With --check nothing is written, and a part that is not fresh is an error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from infmcs import durable

ROOT = Path(__file__).parents[1]
RECORDS = ROOT / "benchmarks" / "record"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown; columns whose name ends in a colon stand right."""
    head = [column.removesuffix(":") for column in columns]
    rule = ["---:" if column.endswith(":") else "---" for column in columns]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])


def record(name: str) -> dict[str, Any]:
    """One benchmark record."""
    content: dict[str, Any] = json.loads((RECORDS / f"{name}.json").read_text())
    return content


def statistics() -> str:
    """The data sets, ours beside the paper's."""
    rows = []
    for name, row in record("datasets")["sets"].items():
        paper = row["paper"]
        theirs = ["", "", ""] if paper is None else [f"{paper[0]:,}", f"{paper[1]:.2f}", f"{paper[2]:.2f}"]
        labels = str(row["labels"] or "–")
        ours = [f"{row['graphs']:,}", f"{row['nodes']:.2f}", f"{row['edges']:.2f}", labels, f"{row['classes']:,}"]
        rows.append([f"`{name}`", *ours, *theirs, "yes" if row["same as the paper's"] else ""])
    columns = ("set", "graphs:", "|V|:", "|E|:", "labels:", "classes:", "paper:", "|V|:", "|E|:", "same graphs")
    return table([column.replace("|", "\\|") for column in columns], rows)


def results() -> str:
    """The figures of the README, each with the command that measured it."""
    rows = [
        [what, told(record(name)), f"`python -m benchmarks.{name}`"]
        for what, name, told in RESULTS
        if (RECORDS / f"{name}.json").exists()
    ]
    return table(("what", "measured", "command"), rows)


def learned() -> str:
    """The trained models on their test graphs: ours, the paper's print, and the best answer that knows nothing."""
    rows = []
    for name, wanted, paper in LEARNED:
        told = json.loads((ROOT / "reproduction" / "records" / f"{wanted}.json").read_text())
        answers = {row["name"]: row for row in told["rows"]}
        ours, ridge = answers["model"], answers["ridge"]
        figures = [f"{100 * ours['mse']:.3g}", f"{ours['rho']:.3f}", f"{ours['p@10']['expected']:.3f}"]
        minutes = f"{told['model']['seconds'] / 60:.0f} min"
        rows.append([name, told["protocol"], *figures, f"{100 * ridge['mse']:.3g}", paper, minutes])
    return table(("test graphs", "protocol", "mse e-2:", "ρ:", "p@10:", "ridge's mse e-2:", "paper", "trained"), rows)


def pages() -> str:
    """Every page of the docs by its title."""
    titles = {page: page.read_text().splitlines()[0].removeprefix("# ") for page in (ROOT / "docs").glob("*.md")}
    listed = [f"- [{title}](docs/{page.name})" for page, title in sorted(titles.items())]
    return "\n".join([*listed, "- [Contributing](CONTRIBUTING.md)", "- [Changelog](CHANGELOG.md)"])


def _startup(content: dict[str, Any]) -> str:
    needed = {row["what"]: row["processor"] for row in content["rows"]}
    return f"{needed['import infmcs']:.2f} s of processor time; `infmcs --help` {needed['infmcs --help']:.2f} s"


def _classes(content: dict[str, Any]) -> str:
    row = content["sets"]["aids42k"]
    return f"{row['classes']:,} of {row['graphs']:,} graphs in {row['seconds']['classes']:.1f} s"


def _labels(content: dict[str, Any]) -> str:
    row = content["rows"]["aids"]
    return f"{row['pairs']:,} pairs, all proved, in {row['seconds labelling']:.1f} s"


def service() -> str:
    """The service under load, and what it answered to what should not be sent."""
    told = record("service")
    rows = [
        [row["kind"], f"{row['per_second']:,.0f}", f"{row['p50_ms']:,.1f}", f"{row['p99_ms']:,.1f}", _or_dash(alone)]
        for row in told["rows"]
        for alone in [told["alone"].get(row["kind"])]
    ]
    figures = table(("", "answers a second:", "p50, ms:", "p99, ms:", "alone, ms of processor:"), rows)
    statuses = ", ".join(f"{count:,} × {status}" for status, count in sorted(told["statuses"].items()))
    memory = ", ".join(f"{value:,.0f} MB {when}" for when, value in told["memory_MB"].items())
    answers = "; ".join(f"{name} ({count})" for name, count in sorted(told["abuse"]["answers"].items()))
    again = told["after_abuse"]["rows"][-1]
    return (
        f"{told['clients']} clients, {told['seconds']:g} s; statuses: {statuses}. On a machine of "
        f"{told['machine']['cores']} cores that was busy with other work; an answer took the service "
        f"{told['processor_ms_an_answer']:.1f} ms of processor time.\n\n{figures}\n\n"
        f"Memory: {memory}.\n\n{told['abuse']['seconds']:g} s of what should not be sent: {answers}. Afterwards "
        f"{again['per_second']:,.0f} answers a second, p99 {again['p99_ms']:,.1f} ms, all right."
    )


def _or_dash(value: float | None) -> str:
    return "–" if value is None else f"{value:,.2f}"


def explanations() -> str:
    """How good the explanations of the package's models are."""
    columns = ("model", "pairs:", "invalid:", "likeness:", "agreement:", "size:", "gap (none):", "repaired (none):")
    rows = [
        [
            row["model"],
            f"{row['pairs']:,}",
            f"{row['invalid']:.1%}",
            f"{row['likeness']:.3f}",
            f"{row['agreement']:.1%}",
            f"{row['size_error']:.2f}",
            f"{row['decoded_gap']:.2f} ({row['decoded_optimal']:.1%})",
            f"{row['repaired_gap']:.2f} ({row['repaired_optimal']:.1%})",
            f"{row['loss']:.2f} / {row['random_loss']:.2f} / {row['proof_loss']:.2f}",
        ]
        for row in record("explain")["rows"]
    ]
    return table((*columns, "deleted: top / chance / proof"), rows)


def _compare(content: dict[str, Any]) -> str:
    speed = content["speed"]
    ours = speed["mcs_seconds"]
    peers = {"RDKit FindMCS": speed["rdkit_findmcs_seconds"], "networkx": speed["networkx_ismags_seconds"]}
    ratios = ", ".join(f"{seconds / ours:,.0f} × {name}" for name, seconds in peers.items())
    return f"{ours * 1e6:.0f} µs, mapping and proof included; {ratios}"


def _search(content: dict[str, Any]) -> str:
    ours, theirs = content["ours"], content["rdkit"]["200"]
    return (
        f"{ours['median_seconds'] * 1000:.0f} ms, proven; RDKit fingerprints and FindMCS of 200 candidates "
        f"{theirs['median_seconds'] * 1000:.0f} ms, {theirs['recall']:.0%} of the true hits"
    )


def _distances(content: dict[str, Any]) -> str:
    rows = {row["work"]: row["pairs a second"] for row in content["rows"]["exact"]["rows"]}
    sets = {"AIDS": "AIDS(2-15)", "AIDS700nef": "AIDS700nef", "LINUX": "LINUX(1000)"}
    return ", ".join(f"{name} {rows[work]:,.0f}" for name, work in sets.items()) + " pairs a second"


def _published(content: dict[str, Any]) -> str:
    return f"{content['exact equal']:,} of {content['pairs']:,} equal"


def _fuzz(content: dict[str, Any]) -> str:
    total = content["total"]
    tried = sum(total.values())
    return f"{tried:,} inputs: {total['graphs']:,} read, {total['FormatError']:,} refused, {total['failures']} failures"


def ablation() -> str:
    """The edit search without each of its ideas."""
    rows = record("ged")["rows"]["ablation"]["rows"]
    works = [work for work, told in rows[0].items() if isinstance(told, dict)]
    shown = [
        [
            row["work"],
            *(f"{row[work]['pairs a second']:,.0f}" for work in works),
            f"{row[works[-1]]['median ms']:,.1f} ms",
        ]
        for row in rows
    ]
    return table(("search", *(f"{work}:" for work in works), f"{works[-1]}, median:"), shown)


# What the README shows: what was measured, in which record, and how its figures are put into words.
def _training(content: dict[str, Any]) -> str:
    best = max((row for row in content["rows"] if row["preset"] == "infmcs"), key=lambda row: row["pairs a second"])
    ratio = best["pairs a second"] / best["each pair by itself"]
    return f"{best['pairs a second']:,.0f} pairs a second of one core, {ratio:.0f} times one pair at a time"


RESULTS: tuple[tuple[str, str, Callable[[dict[str, Any]], str]], ...] = (
    ("largest common subgraph of two molecules", "compare", _compare),
    ("exact top 10 among 4,991 molecules", "rdkit_search", _search),
    ("exact edit distances, one core", "ged", _distances),
    ("published exact edit distances of AIDS700nef", "ged_published", _published),
    ("all pairs of AIDS labelled on disk", "labels", _labels),
    ("isomorphism classes of the antiviral screen", "datasets", _classes),
    ("mutated files given to every reader", "fuzz", _fuzz),
    ("`import infmcs`", "startup", _startup),
    ("training, labels and all", "training", _training),
)
LEARNED = (
    ("AIDS, common subgraph", "aids-mcs-refined-0", "0.30, .935, .798"),
    ("PTC_MM, common subgraph", "ptc-mcs-infmcs-0", "0.71, .920, .779"),
    ("LINUX, common subgraph", "linux-mcs-refined-0", "0.02, .981, .887 (another sample)"),
    ("AIDS700nef, edit distance", "aids700nef-ged-0", "0.126 (GENN-A*), 0.144 (ERIC)"),
    ("LINUX, edit distance", "linux-ged-whole-0", "0.014 (ERIC)"),
)
PARTS: dict[str, tuple[str, Callable[[], str]]] = {
    "results": ("README.md", results),
    "learned": ("README.md", learned),
    "pages": ("README.md", pages),
    "statistics": ("docs/datasets.md", statistics),
    "service": ("docs/service.md", service),
    "explanations": ("docs/explanations.md", explanations),
    "ablation": ("docs/edit-distance.md", ablation),
}


def main() -> None:
    """Write or check every part."""
    check, stale = "--check" in sys.argv[1:], []
    for name, (page, make) in PARTS.items():
        path = ROOT / page
        old = path.read_text()
        begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
        if begin not in old or end not in old:
            sys.exit(f"{page} has no part {name}")
        before, _, rest = old.partition(begin)
        new = f"{before}{begin}\n{make()}\n\n{end}{rest.partition(end)[2]}"
        if new != old:
            stale.append(f"{page}: {name}")
            if not check:
                durable.write_text(path, new)
    if stale and check:
        sys.exit(f"not fresh: {', '.join(stale)}; run `make docs`")
    print(f"{len(PARTS)} parts, {len(stale)} {'stale' if check else 'rewritten'}")


if __name__ == "__main__":
    main()
