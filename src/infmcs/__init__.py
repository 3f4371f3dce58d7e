"""Graph similarity that can be checked. The public names; each is loaded when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from infmcs.answers import Answer, compare
    from infmcs.certify import EditCosts, Question
    from infmcs.collection import Collection
    from infmcs.errors import InfmcsError
    from infmcs.graph import Graph
    from infmcs.index import Index
    from infmcs.models import load
    from infmcs.vocabulary import Vocabulary

_HOMES = {
    "Answer": "answers",
    "Collection": "collection",
    "EditCosts": "certify",
    "Graph": "graph",
    "Index": "index",
    "InfmcsError": "errors",
    "Question": "certify",
    "Vocabulary": "vocabulary",
    "compare": "answers",
    "load": "models",
}

__all__ = [
    "Answer",
    "Collection",
    "EditCosts",
    "Graph",
    "Index",
    "InfmcsError",
    "Question",
    "Vocabulary",
    "compare",
    "load",
]


def __getattr__(name: str) -> Any:
    import importlib

    if name in _HOMES:
        value = getattr(importlib.import_module(f"infmcs.{_HOMES[name]}"), name)
        globals()[name] = value  # the next use finds it without asking here
        return value
    if name == "__version__":
        return importlib.import_module("infmcs.provenance").version()
    raise AttributeError(f"infmcs has no public name {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
