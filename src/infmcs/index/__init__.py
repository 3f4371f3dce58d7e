"""Collections that can be searched: which graphs are most similar to this one, and is that ranking proven?"""

from infmcs.index.index import Index
from infmcs.index.result import Hit, Result

__all__ = ["Hit", "Index", "Result"]
