"""Figures of labels: how similar pairs are, and, as in the paper, how many labels are exact and how values spread."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from infmcs.errors import FormatError
from infmcs.label.table import Labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXACT, OPEN = "#2b6cb0", "#ed8936"


def plot(labels: Labels, path: str | os.PathLike[str]) -> None:
    """A figure of these labels, as .svg, .png or .pdf: a pie of exact and open pairs, and two distributions."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.4), layout="constrained")
    shares, values, similarities = figure.subplots(1, 3, width_ratios=(1, 2, 2))
    _pie(shares, labels)
    named = {"mcs": "nodes of the largest common subgraph", "ged": "graph edit distance"}[labels.metric]
    if labels.facts.get("question", {}).get("count") == "edges":
        named = named.replace("nodes", "edges")
    _histogram(values, labels, labels.value, _whole_bins(labels.value), named)
    formula = {"mcs": "nMCS", "ged": "nGED"}[labels.metric]
    _histogram(similarities, labels, labels.similarity, np.linspace(0, 1, 41), formula)
    figure.suptitle(_title(labels))
    try:
        figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot be drawn: {error}", path=path, hint="names of figures end in .svg or .png") from None


def _pie(axes: Axes, labels: Labels) -> None:
    exact = int(labels.proved.sum())
    counts = {"exact": exact, "lower bound" if labels.metric == "mcs" else "upper bound": len(labels) - exact}
    shown = {name: count for name, count in counts.items() if count}
    if not shown:
        return
    colours = [EXACT if name == "exact" else OPEN for name in shown]
    axes.pie([*shown.values()], labels=[*shown], colors=colours, autopct="%.1f %%", textprops={"fontsize": 8})


def _histogram(axes: Axes, labels: Labels, values: Any, bins: Any, title: str) -> None:
    parts = [values[labels.proved], values[~labels.proved]]
    axes.hist(parts, bins=bins, stacked=True, color=[EXACT, OPEN], label=["exact", "open"])
    axes.set_xlabel(title)
    axes.set_ylabel("pairs")
    if len(parts[1]):
        axes.legend(frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _whole_bins(values: Any) -> Any:
    """One bin a whole number where that many fit."""
    most = float(values.max(initial=1))
    return np.arange(-0.5, most + 1.5) if most <= 100 else np.linspace(0, most, 101)


def _title(labels: Labels) -> str:
    if not len(labels):
        return "no pairs"
    mean, variance = labels.similarity.mean(), labels.similarity.var()
    return f"{len(labels):,} pairs · mean similarity {mean:.3f}, variance {variance:.2e}"
