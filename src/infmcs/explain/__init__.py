"""Why two graphs are this similar: a common subgraph read out of a model's scores, and why the rest stays unmatched.

Two ways to the common subgraph. The paper's: as many nodes as the model expects, those with the highest scores; nobody
says that they are a common subgraph, and often they are none. Ours: scores and attention are decoded into a valid one,
the exact solver improves it within a budget, trying first what the model prefers, and `certify` checks what comes out.
torch is imported only where a model is asked.
"""

from infmcs.explain.common import Explanation, View, common_subgraph, decode, view
from infmcs.explain.edits import edits_in_words
from infmcs.explain.measures import Measures, contained, measure
from infmcs.explain.reasons import Unmatched, why_unmatched

__all__ = [
    "Explanation",
    "Measures",
    "Unmatched",
    "View",
    "common_subgraph",
    "contained",
    "decode",
    "edits_in_words",
    "measure",
    "view",
    "why_unmatched",
]
