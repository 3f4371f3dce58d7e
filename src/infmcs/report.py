"""A search's answer as one file: hits, intervals, pictures of what is common, and why the rest is not.

The file needs no other and no network: it can be mailed, printed, or become an appendix. It holds no script.
"""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import Any

from infmcs import draw, durable, explain, provenance
from infmcs.certify import edit_path
from infmcs.errors import InfmcsError
from infmcs.explain import Unmatched
from infmcs.graph import Graph
from infmcs.index import Hit, Index, Result
from infmcs.pairs import Metric
from infmcs.solve import Budget

MOST_REASONS = 40  # of one pair


def write(
    index: Index,
    query: Graph,
    path: str | os.PathLike[str],
    *,
    top: int | None = None,
    threshold: float | None = None,
    metric: Metric = "mcs",
    budget: Budget | None = None,
    model: Any = None,
) -> Result:
    """Search the index and write what was found to an HTML file; gives the search's result.

    model   what it says of each pair stands beside what is proven.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise InfmcsError(f"{target}: there is no folder {target.parent}", hint="make it first")
    found = index.search(query, top, threshold=threshold, metric=metric, budget=budget)
    durable.write_text(target, html(index, query, found, model))
    return found


def html(index: Index, query: Graph, found: Result, model: Any = None) -> str:
    """The report of a search as HTML text."""
    name = query.name or "the query"
    title = f"Graphs most similar to {name}"
    record = provenance.record()
    facts = [
        ("Query", f"{name}: {_counted(query)}"),
        ("Searched", f"{found.graphs:,} graphs in {found.seconds:.3f} s; {found.bounded:,} ruled out by bounds alone"),
        ("Similarity", _FORMULA[found.metric]),
        ("Ranking", _claim(found)),
        ("Made by", f"infmcs {provenance.version()}, {record['time']}"),
    ]
    told = "".join(f"<dt>{escape(term)}</dt><dd>{escape(words)}</dd>" for term, words in facts)
    rows = "".join(_row(rank, hit) for rank, hit in enumerate(found, 1))
    pairs = "".join(
        _pair(rank, hit, query, index.graph(hit.id), found.metric, model) for rank, hit in enumerate(found, 1)
    )
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>{escape(title)}</title>\n<style>{STYLE}</style>\n'
        f"</head>\n<body>\n<main>\n<h1>{escape(title)}</h1>\n"
        f'<div class="query">{draw.graph(query, title="")}<dl>{told}</dl></div>\n'
        f"<table>\n<caption>Hits</caption>\n<thead><tr><th scope=col>Rank</th><th scope=col>Graph</th>"
        f"<th scope=col class=number>Similarity</th><th scope=col>Proven interval</th><th scope=col>Model</th></tr>"
        f"</thead>\n<tbody>\n{rows}</tbody>\n</table>\n{pairs}</main>\n</body>\n</html>\n"
    )


_FORMULA = {
    "mcs": "nodes of the largest connected common induced subgraph, over the mean number of nodes",
    "ged": "exp(−edit distance / mean number of nodes)",
}


def _claim(found: Result) -> str:
    if not found.hits:
        return "no graph is that similar" if found.complete else "nothing was found in the time allowed"
    if found.complete:
        tied = f"; {len(found.tied)} more are exactly as similar as the last" if found.tied else ""
        return f"proven: no other graph is more similar than these{tied}"
    if found.beyond is None:
        return "not proven: some intervals are open"
    return f"not proven: a graph that is not listed may be up to {found.beyond:.4f} similar"


def _row(rank: int, hit: Hit) -> str:
    name = escape(_name(hit))
    sure = "proved" if hit.proved else f"{hit.lower:.4f} to {hit.upper:.4f}"
    score = "–" if hit.score is None else f"{hit.score:.4f}"
    return (
        f'<tr><td>{rank}</td><td><a href="#hit-{rank}">{name}</a></td><td class=number>{hit.similarity:.4f}</td>'
        f"<td>{_bar(hit)} {sure}</td><td class=number>{score}</td></tr>\n"
    )


def _bar(hit: Hit) -> str:
    low, open_ = 100 * hit.lower, 100 * max(0.0, hit.upper - hit.lower)
    told = f"from {hit.lower:.4f} to {hit.upper:.4f}"
    return (
        f'<svg class="bar" viewBox="0 0 100 8" width="100" height="8" role="img" aria-label="{told}">'
        f'<rect width="100" height="8" class="all"/><rect width="{low:.2f}" height="8" class="sure"/>'
        f'<rect x="{low:.2f}" width="{open_:.2f}" height="8" class="open"/></svg>'
    )


def _pair(rank: int, hit: Hit, query: Graph, graph: Graph, metric: Metric, model: Any) -> str:
    names = (query.name or "query", _name(hit))
    words: list[str] = []
    if metric == "ged":
        path = edit_path(query, graph, hit.mapping)
        picture = draw.edit_path(query, graph, path, title="", names=names)
        listed = [f"{edit.kind} {_place(edit.left)} → {_place(edit.right)}" for edit in path.edits[:MOST_REASONS]]
        words.append(_list("Edits", listed, len(path.edits)))
    else:
        picture = draw.pair(query, graph, hit.mapping, title="", names=names)
        outside = explain.why_unmatched(query, graph, hit.mapping)
        words.append(_list("Outside, and why", [_reason(one) for one in outside[:MOST_REASONS]], len(outside)))
    if model is not None:
        words.append(_model(model, query, graph))
    sure = "proved" if hit.proved else f"between {hit.lower:.4f} and {hit.upper:.4f}"
    return (
        f'<section id="hit-{rank}">\n<h2>{rank}. {escape(_name(hit))}</h2>\n'
        f"<p>Similarity {hit.similarity:.4f}, {sure}; {len(hit.mapping)} nodes matched.</p>\n"
        f"{picture}\n{''.join(words)}</section>\n"
    )


def _model(model: Any, query: Graph, graph: Graph) -> str:
    seen = explain.view(model, query, graph)
    top = ", ".join(str(node) for node in seen.top) or "none"
    side = "the query" if seen.side == "left" else "the hit"
    return (
        f"<p>The model says {seen.similarity:.4f}, which is {seen.expected:.1f} common nodes; "
        f"those of highest score in {side}: {top}.</p>\n"
    )


def _list(title: str, items: list[str], total: int) -> str:
    if not items:
        return f"<p>{title}: nothing.</p>\n"
    more = f"<li>and {total - len(items):,} more</li>" if total > len(items) else ""
    rows = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f"<details><summary>{title} ({total:,})</summary><ul>{rows}{more}</ul></details>\n"


def _reason(one: Unmatched) -> str:
    return f"{'query' if one.side == 'left' else 'hit'} node {one.node}: {one.text}"


def _place(place: object) -> str:
    if place is None:
        return "nothing"
    return "–".join(map(str, place)) if isinstance(place, tuple) else str(place)


def _name(hit: Hit) -> str:
    return hit.name if hit.name else f"graph {hit.id}"


def _counted(graph: Graph) -> str:
    return f"{graph.size:,} nodes, {len(graph.edges):,} edges"


STYLE = """
:root{--paper:#fff;--ink:#1f2328;--faint:#59636e;--rule:#d0d7de;--plain:#eceff2;--common:#0072b2}
@media (prefers-color-scheme:dark){:root{
--paper:#14171c;--ink:#e6e8eb;--faint:#9aa4ae;--rule:#3a424b;--plain:#2b3138;--common:#56b4e9}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:66rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin:0}
a{color:var(--common)}
.query{display:flex;flex-wrap:wrap;gap:1rem;align-items:center}
.query svg{max-width:16rem;height:auto}
dl{display:grid;grid-template-columns:auto 1fr;gap:.2rem 1rem;margin:0;flex:1 1 20rem}
dt{color:var(--faint)}dd{margin:0}
table{border-collapse:collapse;width:100%;margin:1rem 0}
caption{text-align:left;font-weight:600}
th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--rule)}
.number{text-align:right;font-variant-numeric:tabular-nums}
section{border-top:1px solid var(--rule);padding:1rem 0;break-inside:avoid}
section>svg{max-width:100%;height:auto}
.bar{vertical-align:middle}
.bar .all{fill:var(--plain)}.bar .sure{fill:var(--common)}.bar .open{fill:var(--common);opacity:.4}
"""
