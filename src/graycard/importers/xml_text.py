"""XML of other tools, read so that no file can do harm: no entities, no document types from outside, no depth."""

from __future__ import annotations

import io
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from graycard.errors import ImportProblem

# No tool nests deeper than ten.
_DEEPEST_COUNT = 100


def parse_xml(data: bytes, tool: str) -> Element:
    """The root element of an XML document; ImportProblem with the line where it is damaged, or where it could do harm.

    A declaration of entities (the "billion laughs") is refused; a plain document type, as in a plist, is passed over.
    """
    builder, depth = TreeBuilder(), 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST_COUNT:
            raise ImportProblem(f"The XML is nested too deeply to be {tool}'s: get the tool's own output")
        builder.start(name, attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name)

    def refuse(*_: object) -> NoReturn:
        raise ImportProblem(f"The XML declares entities, which {tool} does not: get the tool's own output")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = refuse
    try:
        parser.ParseFile(io.BytesIO(data))
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise ImportProblem(
            f"{tool}'s XML is damaged or cut short at line {error.lineno} ({what}): get the whole file"
        ) from error
    except (LookupError, ValueError) as error:
        raise ImportProblem(f"{tool}'s XML names an encoding that XML does not have: get the whole file") from error
    return builder.close()
