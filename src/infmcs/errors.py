"""The errors a user can meet. Each says what was given, what was expected and where; `hint` shows the way out.

InfmcsError
├── GraphError         a graph that cannot be: an edge names a missing node, a feature is NaN
├── FormatError        a file that cannot be read, with its path and the place in it
├── DatasetError       a data set that was not found or does not hold what it should
├── ConfigError        a setting that is unknown or has the wrong kind of value
├── QuestionError      a call that makes no sense: a budget below zero, mixed directions
├── ModelError         a model that cannot take what it was given, a training that cannot go on
└── CertificateError   a mapping that is not what it claims to be
"""

from __future__ import annotations


class InfmcsError(Exception):
    """Everything this package raises on purpose. `str` gives the message and, on a second line, the hint."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class GraphError(InfmcsError):
    """A graph that cannot be."""


class FormatError(InfmcsError):
    """A file that cannot be read. The message begins with the file and, where known, the place in it."""

    def __init__(self, message: str, *, path: object = None, place: str | None = None, hint: str | None = None) -> None:
        where = ", ".join(str(part) for part in (path, place) if part is not None)
        super().__init__(f"{where}: {message}" if where else message, hint=hint)
        self.path = path
        self.place = place


class DatasetError(InfmcsError):
    """A data set that was not found or does not hold what it should."""


class ConfigError(InfmcsError):
    """A setting that is unknown or has the wrong kind of value."""


class QuestionError(InfmcsError):
    """A call that makes no sense as it stands."""


class ModelError(InfmcsError):
    """A model that cannot take what it was given, or a training that cannot go on."""


class CertificateError(InfmcsError):
    """A mapping that is not what it claims to be; names the offending pair."""
