"""The data sets of the study and around it: `load` gives one by name, `published` the exact values known of its pairs.

`molecules` comes with the package. The others are found on this machine, see `places`; nothing is downloaded.
"""

from infmcs.datasets.catalog import CATALOG, NAMES, Dataset, Figures, described, load, located
from infmcs.datasets.functions import FunctionPairs, function_pairs, without_isolated_nodes
from infmcs.datasets.splits import PROTOCOLS, Split, split, without_test
from infmcs.datasets.statistics import Statistics, beside_paper, statistics
from infmcs.datasets.synthetic import Generated, barabasi_albert
from infmcs.datasets.truths import Published, published

__all__ = [
    "CATALOG",
    "NAMES",
    "PROTOCOLS",
    "Dataset",
    "Figures",
    "FunctionPairs",
    "Generated",
    "Published",
    "Split",
    "Statistics",
    "barabasi_albert",
    "beside_paper",
    "described",
    "function_pairs",
    "load",
    "located",
    "published",
    "split",
    "statistics",
    "without_isolated_nodes",
    "without_test",
]
