"""TOML into the frozen dataclass of a stage, and back. Knows no stage: each keeps its dataclass beside its code."""

from __future__ import annotations

import dataclasses
import difflib
import json
import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from infmcs.errors import ConfigError

T = TypeVar("T")


def load(kind: type[T], path: str | os.PathLike[str]) -> T:
    """The settings in a TOML file as a `kind`; what the file leaves out keeps its default."""
    return parse(kind, read(path), source=str(path))


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a TOML file says."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None


def parse(kind: type[T], given: Mapping[str, Any], *, source: str = "config") -> T:
    """Settings as a `kind`. An unknown name or a value of the wrong kind is an error that says what was meant."""
    import pydantic

    _refuse_unknown(kind, given, source)
    try:
        return pydantic.TypeAdapter(kind).validate_python(dict(given))
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"]) or "value"
        raise ConfigError(f"{source}: {name} = {first['input']!r}: {first['msg']}") from None


def dump(settings: Any) -> str:
    """The TOML text of a settings dataclass; `load` gives the same settings back. None is left out."""
    return "\n".join(_table(dataclasses.asdict(settings), prefix="")) + "\n"


def refuse_unknown(given: Iterable[str], known: Sequence[str], source: str, prefix: str = "") -> None:
    """An error that suggests the nearest one where a name is not known."""
    for name in given:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {prefix}{close[0]}?" if close else f"known here: {', '.join(known)}"
            raise ConfigError(f"{source}: there is no setting {prefix}{name}", hint=hint)


def _refuse_unknown(kind: Any, given: Mapping[str, Any], source: str, prefix: str = "") -> None:
    refuse_unknown(given, [field.name for field in dataclasses.fields(kind)], source, prefix)
    for name, value in given.items():
        inner = _resolved(kind).get(name)
        if isinstance(value, Mapping) and dataclasses.is_dataclass(inner):
            _refuse_unknown(inner, value, source, prefix=f"{prefix}{name}.")


def _resolved(kind: Any) -> dict[str, Any]:
    from typing import get_type_hints

    return get_type_hints(kind)


def _table(values: Mapping[str, Any], prefix: str) -> list[str]:
    lines = [f"{name} = {_literal(value)}" for name, value in values.items() if not _skipped(value)]
    for name, value in values.items():
        if isinstance(value, Mapping):
            inner = _table(value, prefix=f"{prefix}{name}.")
            lines += ["", f"[{prefix}{name}]", *inner]
    return lines


def _skipped(value: Any) -> bool:
    return value is None or isinstance(value, Mapping)


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_literal(item) for item in value) + "]"
    raise TypeError(f"{value!r} has no TOML form")
