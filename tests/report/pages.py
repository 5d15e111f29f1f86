"""Looking into a web page with a real parser."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "link", "input"}


@dataclass
class Node:
    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    def all(self, tag: str) -> list[Node]:
        """Every element of that tag below this one, in order."""
        return [each for each in self.walk() if each.tag == tag]

    def walk(self) -> list[Node]:
        below = [each for each in self.children if isinstance(each, Node)]
        return below + [deeper for each in below for deeper in each.walk()]

    @property
    def text(self) -> str:
        return "".join(each if isinstance(each, str) else each.text for each in self.children)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("document")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"{tag} has an attribute twice"
        node = Node(tag, dict(attrs))
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Node(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"{tag} closes {self.open[-1].tag}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def parsed(page: bytes) -> Node:
    """The tree of a page; AssertionError where tags do not close each other."""
    reader = _Reader()
    reader.feed(page.decode())
    reader.close()
    assert reader.open == [reader.root], "not all is closed"
    return reader.root


def skeleton(node: Node, *, drawings: bool = True) -> list[str]:
    """Tags with the names of their attributes: what no text may change."""
    found = [f"{node.tag} {sorted(node.attributes)}"]
    for child in node.children:
        if isinstance(child, Node) and (drawings or child.tag != "svg"):
            found += skeleton(child, drawings=drawings)
    return [*found, f"/{node.tag}"]
