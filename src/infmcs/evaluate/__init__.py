"""How good a model is, beside answers that know next to nothing and the exact solver."""

from infmcs.evaluate.parts import Parts, parts

__all__ = ["Parts", "parts"]
