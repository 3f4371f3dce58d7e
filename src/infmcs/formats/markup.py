"""XML, read safely and in bounded memory: no entity is expanded, nothing outside the file is ever fetched.

A DOCTYPE may stand there, as it does in the IAM sets, but it may declare nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from xml.parsers import expat
from xml.sax import saxutils

from infmcs.errors import FormatError
from infmcs.formats.source import Member

PIECE = 1 << 20  # expat looks at a token again with each piece, so an endless token wants large ones
DEEPEST = 64
# Names of types in GraphML and GEXF to kinds of values, and the types that our writers give them.
KINDS = {
    "int": "whole",
    "integer": "whole",
    "long": "whole",
    "float": "real",
    "double": "real",
    "boolean": "truth",
    "bool": "truth",
    "string": "text",
}
XML_TYPES = {"whole": "long", "real": "double", "text": "string"}
Event = tuple[bool, str, Any, int]  # whether it begins, its tag, its attributes (or at its end its text), a line near


def events(member: Member, root: str) -> Iterator[Event]:
    """Beginnings and ends of elements, which must stand inside an element `root`. Prefixes of names are dropped."""
    reader = _Reader(member, root)
    with member.open() as file:
        done = 0
        while piece := file.read(PIECE):
            yield from reader.feed(piece, last=False)
            done += len(piece)
            member.source.tell(member, done)
        yield from reader.feed(b"", last=True)


def walk(
    member: Member,
    root: str,
    begin: Callable[[list[str], str, dict[str, str], int], None],
    end: Callable[[list[str], str, str, int], None],
) -> None:
    """Calls `begin` and `end` for each element: the tags around it, its own tag, its attributes or text, a line."""
    place: list[str] = []
    for begins, tag, content, line in events(member, root):
        if begins:
            begin(place, tag, content, line)
            place.append(tag)
        else:
            place.pop()
            end(place, tag, content, line)


class _Reader:
    def __init__(self, member: Member, root: str) -> None:
        self._member, self._root = member, root
        self._found: list[Event] = []
        self._text: list[str] = []
        self._depth = 0
        self._line = 1
        self._parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text.append
        parser.EntityDeclHandler = self._refuse_entity
        parser.ExternalEntityRefHandler = self._refuse_entity
        parser.SkippedEntityHandler = self._refuse_entity

    def feed(self, piece: bytes, last: bool) -> list[Event]:
        self._found = []
        try:
            self._parser.Parse(piece, last)
        except expat.ExpatError as error:
            raise self._member.error(
                f"is no whole XML: {expat.ErrorString(error.code)}, column {error.offset + 1}", line=error.lineno
            ) from None
        except (ValueError, LookupError) as error:  # an encoding Python does not have
            raise self._member.error(f"is no XML that can be read: {error}", line=1) from None
        return self._found

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        line = self._line = self._parser.CurrentLineNumber
        if ":" in tag:
            tag = tag.rpartition(":")[2]
        if not self._depth and tag != self._root:
            raise self._member.error(f"begins with <{tag:.40}>, expected <{self._root}>", line=line)
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._member.error(f"elements are nested more than {DEEPEST} deep", line=line)
        self._text.clear()
        self._found.append((True, tag, attributes, line))

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if ":" in tag:
            tag = tag.rpartition(":")[2]
        self._found.append((False, tag, "".join(self._text), self._line))
        self._text.clear()

    def _refuse_entity(self, name: Any, *_: Any) -> int:
        raise self._member.error(
            f"uses the XML entity {name!r:.40}",
            line=self._parser.CurrentLineNumber,
            hint="entities are not expanded here: one can grow to any size or name any file",
        )


def needed(attributes: dict[str, str], key: str, tag: str, member: Member, line: int) -> str:
    """The attribute an element must have."""
    if key not in attributes:
        raise member.error(f"<{tag}> has no {key!r}", line=line)
    return attributes[key]


def number(text: str, kind: str, member: Member, line: int) -> int | float:
    """What a typed value says: kind is 'whole', 'real' or 'truth' (1 or 0)."""
    text = text.strip()
    try:
        if kind == "truth":
            return {"true": 1, "1": 1, "false": 0, "0": 0}[text.lower()]
        if not text.isascii() or "_" in text or len(text) > 400:
            raise ValueError
        return int(text) if kind == "whole" else float(text)
    except (ValueError, KeyError):
        wanted = {"whole": "a whole number", "real": "a number", "truth": "true or false"}[kind]
        raise member.error(f"{text!r:.60} is not {wanted}", line=line) from None


def said(text: str) -> str:
    """The text between tags that is read as this one."""
    return saxutils.escape(_sayable(text), {"\r": "&#13;"})


def quoted(text: str) -> str:
    """The quoted attribute that is read as this text."""
    return saxutils.quoteattr(_sayable(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _sayable(text: str) -> str:
    odd = re.search("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
    if odd:
        raise FormatError(
            f"{text!r:.60} holds the character {odd[0]!r}, which XML cannot say",
            hint="write .jsonl or .infmcs, which hold any text",
        )
    return text
