"""How similar two graphs are, as an answer that can be checked: an interval, what shows it, and who says so.

    answer = infmcs.compare(a, b)                   # the exact answer where it is affordable
    answer = infmcs.compare(a, b, model=model)      # else the model's, within proven bounds
    answer.similarity, answer.lower, answer.upper, answer.proved, answer.mapping

No torch is imported unless a model is given.
"""

from infmcs.answers.answer import Account, Answer, Match
from infmcs.answers.asking import BUDGET, compare
from infmcs.answers.plan import Expectation, expected

__all__ = ["BUDGET", "Account", "Answer", "Expectation", "Match", "compare", "expected"]
