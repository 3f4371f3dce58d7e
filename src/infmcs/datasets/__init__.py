"""The data sets of the study and around it: `load` gives one by name, `published` the exact values known of its pairs.

`molecules` comes with the package. The others are found on this machine, see `places`; nothing is downloaded unasked.
"""

from infmcs.datasets.catalog import CATALOG, NAMES, Dataset, load, located
from infmcs.datasets.splits import PROTOCOLS, Split, split
from infmcs.datasets.truths import Published, published

__all__ = ["CATALOG", "NAMES", "PROTOCOLS", "Dataset", "Published", "Split", "load", "located", "published", "split"]
