"""Untrusted XML: read without DTD and entities; each defect is reported with its line."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from sparring.errors import InputError


class Target:
    """A target of the XML parser; ``inside`` says which elements stand in which, "" for the top."""

    inside: ClassVar[dict[str, tuple[str, ...]]]
    wanted: ClassVar[str]
    """A description of such a file."""

    def __init__(self) -> None:
        self.parser: Any = None
        self.open = [""]

    def enter(self, tag: str) -> None:
        """Take the beginning of an element, which must be one that may stand there."""
        if tag not in self.inside[self.open[-1]]:
            inside = f"in <{self.open[-1]}>" if self.open[-1] else "at the top"
            self.fail(f"<{tag[:40]}> {inside}; right: {self.wanted}")
        self.open.append(tag)

    def data(self, text: str) -> None:
        """Take the text between elements."""
        if text.strip():
            self.fail(f"text {text.strip()[:20]!r}; right: elements alone")

    def text(self, attrib: dict[str, str], name: str) -> str:
        """Return an attribute that must be there."""
        if name not in attrib:
            self.fail(f"<{self.open[-1] or self.inside[''][0]}> lacks {name}")
        return attrib[name]

    def fail(self, why: str) -> NoReturn:
        """Raise InputError with the line where the parser stands."""
        raise InputError(f"line {self.parser.parser.CurrentLineNumber}: {why}")


def parse(data: bytes, target: Target) -> Any:
    """Return what the target makes of a file; raise InputError, which says what is wrong, and where."""
    parser: Any = DefusedXMLParser(target=target, forbid_dtd=True)
    target.parser = parser
    try:
        parser.feed(data)
        return parser.close()
    except ParseError as error:
        why = str(error).split(":")[0]
        raise InputError(f"line {error.position[0]}: no XML ({why}); right: {target.wanted}") from None
    except DefusedXmlException:
        raise InputError("has a DTD or entities, which are not read; right: plain elements") from None
    except (ValueError, LookupError) as error:  # what expat makes of strange encodings
        raise InputError(str(error) if isinstance(error, InputError) else f"no XML ({error})") from None
