"""The true similarity of many pairs, computed once and kept in one file that says how it came about.

`label` may be killed at any moment and started again: nothing is lost but the chunk in flight, nothing is computed
twice, and no half file is ever read.
"""

from infmcs.label.plots import plot
from infmcs.label.run import DEFAULT_VISITS, label
from infmcs.label.table import Labels, read

__all__ = ["DEFAULT_VISITS", "Labels", "label", "plot", "read"]
