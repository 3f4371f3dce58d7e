"""The study's tables and figures, rebuilt from records alone: ours beside the paper's.

`reproduction/` holds one TOML a table or figure and the records of finished runs; nothing here trains or evaluates. A
row whose run has not been made says so. Several records of one row are seeds: their mean and deviation are printed.
Pictures of inferred subgraphs take the package's trained models and the graphs themselves, which no record copies.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, stdev
from typing import Any, Literal

from infmcs import config, durable
from infmcs.errors import DatasetError

MEASURES = {"mse": 100.0, "mse e-3": 1000.0}  # what a number of the record is multiplied by; others by 1


@dataclass(frozen=True)
class Row:
    """One line: whose figures, and the records they come from; `answer` is the row of the record that is meant."""

    name: str
    records: tuple[str, ...] = ()
    answer: str = "model"
    paper: dict[str, float] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Part:
    """The lines of one data set, and the record its trivial answers are taken from."""

    set: str
    rows: tuple[Row, ...] = ()
    trivial: str = ""


@dataclass(frozen=True)
class Definition:
    """One table or figure."""

    title: str
    kind: Literal["table", "parameters", "positions", "ranking", "labels", "inferred"] = "table"
    measures: tuple[str, ...] = ("mse", "rho", "p@10")
    part: tuple[Part, ...] = ()
    records: tuple[str, ...] = ()
    presets: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    text: str = ""


def names(folder: Path) -> list[str]:
    """What can be rebuilt."""
    return sorted(path.stem for path in _existing(folder).glob("*.toml"))


def rebuild(name: str, folder: Path) -> list[Path]:
    """Write one table (Markdown) or figure (SVG and Markdown) into `built`; which files these are."""
    path = _existing(folder) / f"{name}.toml"
    if not path.is_file():
        raise DatasetError(f"there is no {path.name}", hint=f"there are {', '.join(names(folder))}, or all")
    definition = config.load(Definition, path)
    return _KINDS[definition.kind](definition, folder, name)


def table(definition: Definition, records: Callable[[str], dict[str, Any] | None]) -> str:
    """The Markdown of a table."""
    lines = [f"# {definition.title}", ""]
    lines += [definition.text.strip(), ""] if definition.text else []
    for part in definition.part:
        lines += [f"## {part.set}", ""]
        lines += [_facts(records(part.trivial)), ""] if part.trivial else []
        lines += ["| | " + " | ".join(_heading(measure) for measure in definition.measures) + " | |"]
        lines += ["| --- |" + " ---: |" * len(definition.measures) + " --- |"]
        for row in part.rows:
            lines += _lines(row, definition.measures, records)
        first = records(part.trivial) if part.trivial else None
        for told in first["rows"] if first else ():
            if told["name"] != "model":
                cells = [_number(_measured(told, measure), measure) for measure in definition.measures]
                lines.append(f"| {told['name']} | {' | '.join(cells)} | {told['microseconds a pair']:.3g} µs a pair |")
        lines.append("")
    return "\n".join(lines)


def _lines(row: Row, measures: tuple[str, ...], records: Callable[[str], dict[str, Any] | None]) -> list[str]:
    lines = []
    if row.paper:
        cells = [_number(row.paper.get(measure), measure, scaled=True) for measure in measures]
        lines.append(f"| {row.name}, as the paper prints it | {' | '.join(cells)} | |")
    if not row.records:
        return lines if row.paper else [f"| {row.name} |{' |' * len(measures)} no run yet. {row.note} |"]
    found = [record for record in map(records, row.records) if record is not None]
    if not found:
        return [*lines, f"| {row.name}, ours |{' |' * len(measures)} no run yet. {row.note} |"]
    rows = [next(told for told in record["rows"] if told["name"] == row.answer) for record in found]
    cells = [_spread([_measured(told, measure) for told in rows], measure) for measure in measures]
    trained = found[0].get("model", {})
    facts = [f"{len(found)} seed" + "s" * (len(found) > 1), f"{trained.get('pairs', 0) / 1e6:.3g} M pairs"]
    facts += [f"{trained.get('seconds', 0) / 60:.3g} min", f"{found[0]['parameters']:,} parameters"]
    return [*lines, f"| {row.name}, ours | {' | '.join(cells)} | {', '.join(facts)}. {row.note} |"]


def _facts(record: dict[str, Any] | None) -> str:
    if record is None:
        return "No run yet."
    chance = ", ".join(f"{name} {value:.3f}" for name, value in record["chance"].items())
    return (
        f"`{record['set']}`, {record['protocol']} protocol: {record['queries']} queries × {record['database']} graphs, "
        f"{record['pairs']:,} pairs, mean similarity {record['mean']:.3f}. By chance: {chance}."
    )


def _heading(measure: str) -> str:
    return {"mse": "mse e-2", "rho": "ρ", "tau": "τ"}.get(measure, measure)


def _measured(told: dict[str, Any], measure: str) -> float | None:
    value = told.get("mse" if measure.startswith("mse") else measure)
    value = value["expected"] if isinstance(value, dict) else value
    return None if value is None else float(value) * MEASURES.get(measure, 1.0)


def _number(value: float | None, measure: str, *, scaled: bool = False) -> str:
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:g}" if scaled else f"{value:.3g}" if measure.startswith("mse") else f"{value:.3f}"


def _spread(values: list[float | None], measure: str) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "–"
    middle = _number(mean(known), measure)
    return f"**{middle}**" + (f" ± {stdev(known):.2g}" if len(known) > 1 else "")


# -- kinds: each writes its files ------------------------------------------------------------------------------------


def _write_table(definition: Definition, folder: Path, name: str) -> list[Path]:
    return [_written(folder, f"{name}.md", table(definition, _reader(folder)))]


def _write_parameters(definition: Definition, folder: Path, name: str) -> list[Path]:
    """Trainable parameters of each preset; counted on built models, no run needed."""
    from infmcs import models, train
    from infmcs.collection import Collection
    from infmcs.graph import Graph

    widths = {"AIDS (38 labels)": 38, "PTC_MM (20 labels)": 20, "LINUX (no labels)": 0}
    lines = [f"# {definition.title}", "", definition.text.strip(), "", f"| preset | {' | '.join(widths)} |"]
    lines.append("| --- |" + " ---: |" * len(widths))
    for preset in definition.presets:
        counts = []
        for labels in widths.values():
            names = [f"label {k}" for k in range(labels)] or None
            graphs = Collection.from_graphs([Graph.from_edges(max(1, labels), [], labels=names)])
            made = models.build(train.plan(preset).model, graphs)
            counts.append(f"{sum(weight.numel() for weight in made.parameters()):,}")
        lines.append(f"| {preset} | {' | '.join(counts)} |")
    printed = [(row.name, row.paper["parameters"]) for part in definition.part for row in part.rows]
    lines += [f"| {name}, as the paper prints it | {count:,.0f} | | |" for name, count in printed]
    return [_written(folder, f"{name}.md", "\n".join(lines) + "\n")]


def _write_positions(definition: Definition, folder: Path, name: str) -> list[Path]:
    """The rows of a learned table of positions: two principal components, and the distance to the first row."""

    def draw(axes: Any, record: dict[str, Any]) -> str:
        told = record["positions"]
        used = slice(0, 16)
        xs, ys = zip(*told["components"][used], strict=True)
        axes[0].scatter(xs, ys, c=range(len(xs)), s=18)
        for rank, (x, y) in enumerate(zip(xs, ys, strict=True)):
            axes[0].annotate(str(rank), (x, y), fontsize=7)
        axes[0].set_title("position table, two components")
        axes[1].plot(told["distances"][used], marker="o", markersize=3)
        axes[1].set(title="distance to position 0", xlabel="rank by closeness")
        shares = ", ".join(f"{share:.0%}" for share in told["explained"])
        return f"Components carry {shares} of the table's variance; distances to position 0: {told['distances'][used]}."

    return _drawn(definition, folder, name, draw, lambda record: bool(record.get("positions")))


def _write_ranking(definition: Definition, folder: Path, name: str) -> list[Path]:
    """For a few queries: true similarity of what the model puts first, beside the best possible."""

    def draw(axes: Any, record: dict[str, Any]) -> str:
        for axis, told in zip(axes, record["ranking"], strict=False):
            axis.plot(told["best"], color="grey", label="best possible")
            axis.plot(told["true"], marker="o", markersize=3, label="true, in the model's order")
            axis.plot(told["said"], linestyle=":", label="said")
            axis.set(title=f"query {told['query']}", xlabel="place", ylim=(0, 1.02))
        axes[0].legend(fontsize=7)
        return "\n".join(f"- query {told['query']}: first {told['graphs']}" for told in record["ranking"])

    return _drawn(definition, folder, name, draw, lambda record: bool(record.get("ranking")))


def _write_labels(definition: Definition, folder: Path, name: str) -> list[Path]:
    """How the true similarities of the test pairs are distributed."""

    def draw(axes: Any, record: dict[str, Any]) -> str:
        counts = record["labels"]
        total = sum(counts)
        axes[0].bar([(k + 0.5) / len(counts) for k in range(len(counts))], counts, width=0.9 / len(counts))
        axes[0].set(title=f"{record['set']}, {record['metric']}", xlabel="true similarity")
        axes[1].set_visible(False)
        return f"Mean {record['mean']:.3f}; {100 * max(counts) / total:.0f} % of the pairs in the fullest twentieth."

    return _drawn(definition, folder, name, draw, lambda record: bool(record.get("labels")))


def _write_inferred(definition: Definition, folder: Path, name: str) -> list[Path]:
    """For a few test graphs and what a model puts first for each: the paper's inferred nodes, a certified answer."""
    lines, written = [f"# {definition.title}", "", definition.text.strip(), ""], []
    for model in definition.models:
        lines += [f"## {model}", ""]
        try:
            shown = list(_inferences(model))
        except DatasetError as error:
            lines += [f"Not drawn: {error}.", ""]
            continue
        for number, (said, pictures) in enumerate(shown):
            for way, svg in pictures.items():
                written.append(_written(folder, f"{name}-{model}-{number}-{way}.svg", svg))
                lines.append(f"![{way}]({written[-1].name})")
            lines += ["", said, ""]
    return [_written(folder, f"{name}.md", "\n".join(lines)), *written]


def _inferences(name: str, queries: int = 3) -> Iterator[tuple[str, dict[str, str]]]:
    """What to say of each of some pairs, and its pictures."""
    import numpy as np

    from infmcs import draw, evaluate, explain, models, pairs

    model, told = models.load(name), models.record(name)
    if "set" not in told:
        raise DatasetError(f"the record of {name} names no data set")
    parts = evaluate.parts(told["set"], told["protocol"], told["split"])
    graphs = parts.graphs.take(parts.test)
    said = evaluate.squares(model, graphs)
    np.fill_diagonal(said, -1)
    for query in np.unique(np.linspace(0, len(graphs) - 1, queries + 2).astype(np.int64))[1:-1].tolist():
        first = int(said[query].argmax())
        left, right = (graphs[place] for place in sorted((query, first), key=lambda place: graphs[place].size))
        found = explain.common_subgraph(model, left, right)
        top, solved = found.view.top, found.found
        holds = explain.contained(left, top, right)
        pictures = {
            "paper": draw.graph(left, top, title=f"the {len(top)} nodes with the largest scores"),
            "certified": draw.pair(left, right, found.mapping, title="a common subgraph, improved and certified"),
        }
        yield (
            f"Test graph {query} and the one the model puts first for it, {first}: similarity "
            f"{said[query, first]:.2f} said, {pairs.nmcs(solved.lower, left.size, right.size):.2f} "
            f"{'true' if solved.proved else 'at least'}. The paper's {len(top)} nodes are "
            f"{'a' if holds else 'no'} common subgraph; the scores alone led to one of {len(found.decoded)} nodes, and "
            f"the solver to {solved.lower}.",
            pictures,
        )


def _drawn(
    definition: Definition,
    folder: Path,
    name: str,
    draw: Callable[[Any, dict[str, Any]], str],
    usable: Callable[[dict[str, Any]], bool],
) -> list[Path]:
    """One SVG a record, and a page that shows them."""
    import io

    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    lines, written = [f"# {definition.title}", "", definition.text.strip(), ""], []
    for wanted in definition.records:
        record = _reader(folder)(wanted)
        if record is None or not usable(record):
            lines += [f"## {wanted}", "", "No run yet.", ""]
            continue
        figure = Figure(figsize=(9, 3), layout="constrained")
        FigureCanvasSVG(figure)
        said = draw(figure.subplots(1, 3 if definition.kind == "ranking" else 2), record)
        stream = io.BytesIO()
        with matplotlib.rc_context({"svg.hashsalt": wanted}):
            figure.savefig(stream, format="svg", metadata={"Date": None})
        written.append(_written(folder, f"{name}-{wanted}.svg", stream.getvalue().decode()))
        lines += [f"## {wanted}", "", f"![{definition.title}]({written[-1].name})", "", said, ""]
    return [_written(folder, f"{name}.md", "\n".join(lines)), *written]


_KINDS: dict[str, Callable[[Definition, Path, str], list[Path]]] = {
    "table": _write_table,
    "parameters": _write_parameters,
    "positions": _write_positions,
    "ranking": _write_ranking,
    "labels": _write_labels,
    "inferred": _write_inferred,
}


def _reader(folder: Path) -> Callable[[str], dict[str, Any] | None]:
    def read(name: str) -> dict[str, Any] | None:
        path = folder / "records" / f"{name}.json"
        if not path.is_file():
            return None
        try:
            return dict(json.loads(path.read_text(encoding="utf-8")))
        except ValueError as error:
            raise DatasetError(f"{path}: is no whole record: {error}") from None

    return read


def _written(folder: Path, name: str, text: str) -> Path:
    path = folder / "built" / name
    path.parent.mkdir(exist_ok=True)
    durable.write_text(path, text.rstrip("\n") + "\n")
    return path


def _existing(folder: Path) -> Path:
    if not folder.is_dir():
        raise DatasetError(f"{folder}: there is no such folder", hint="run it in a checkout, or give --folder")
    return folder
