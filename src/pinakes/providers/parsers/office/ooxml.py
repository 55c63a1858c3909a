"""Office Open XML: the parts of a package as trees and the links between them."""

import io
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from lxml import etree  # pyright: ignore[reportMissingTypeStubs, reportAttributeAccessIssue, reportUnknownVariableType]

from pinakes.domain.errors import DocumentFault
from pinakes.providers.parsers.archive import Package, open_package
from pinakes.providers.parsers.titles import choose_title

_etree = cast("Any", etree)
_OPTIONS = {"resolve_entities": False, "no_network": True, "huge_tree": False, "load_dtd": False}
XmlError = cast("type[Exception]", _etree.XMLSyntaxError)
_OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PASSWORD = "The file is protected by a password; remove the protection and upload it again."  # noqa: S105 - words


@dataclass(frozen=True, slots=True)
class Relation:
    """A link from one part to another: its kind is the last word of its type, its target the other's name."""

    kind: str
    target: str


def open_office(content: bytes, *, what: str) -> Package:
    """The package of a document called `what`; a fault for a protected one, which is wrapped in an OLE file."""
    if content.startswith(_OLE_MARK):
        wrapped = "EncryptedPackage".encode("utf-16-le") in content
        raise DocumentFault(_PASSWORD if wrapped else f"The file is damaged and cannot be opened as {what}.")
    return open_package(content, what=what)


def parse_xml(content: bytes) -> Any:
    """The root of a part; entities stay unexpanded, nothing outside is read, XmlError if it is malformed."""
    return _etree.fromstring(content, _etree.XMLParser(remove_comments=True, remove_pis=True, **_OPTIONS))


def walk_xml(content: bytes, *names: str) -> Iterator[tuple[str, Any]]:
    """The start and the end of each element of these names, while the rest is still unread; XmlError likewise."""
    tags = [f"{{*}}{name}" for name in names]
    return cast(
        "Iterator[tuple[str, Any]]",
        _etree.iterparse(io.BytesIO(content), events=("start", "end"), tag=tags, **_OPTIONS),
    )


def forget(element: Any) -> None:
    """Free an element that was walked over, and those before it."""
    element.clear(keep_tail=True)
    while element.getprevious() is not None:
        del element.getparent()[0]


def find_part(package: Package, name: str) -> Any | None:
    """The root of a part that need not be there; None where it is missing or malformed."""
    content = package.find(name)
    if content is None:
        return None
    try:
        return parse_xml(content)
    except XmlError:
        return None


def read_relations(package: Package, part: str) -> dict[str, Relation]:
    """The links of a part to others inside the package, by their ids; what leads outside is left out."""
    folder, name = posixpath.split(part)
    root = find_part(package, posixpath.join(folder, "_rels", f"{name}.rels"))
    if root is None:
        return {}
    return {
        link.get("Id", ""): Relation(link.get("Type", "").rpartition("/")[2], _resolve(folder, link.get("Target", "")))
        for link in find_all(root, "Relationship")
        if link.get("TargetMode") != "External"
    }


def find_main_part(package: Package, default: str) -> str:
    """The part that the document begins with."""
    relations = read_relations(package, "").values()
    return next((link.target for link in relations if link.kind == "officeDocument"), default)


def read_title(package: Package) -> str | None:
    """The title in the document's properties, if somebody chose one."""
    part = next(
        (link.target for link in read_relations(package, "").values() if link.kind == "core-properties"),
        "docProps/core.xml",
    )
    properties = find_part(package, part)
    title = None if properties is None else find_first(properties, "title")
    return None if title is None else choose_title(title.text)


def name_of(element: Any) -> str:
    """An element's name without its namespace, which the strict variant of the format changes."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def find_all(element: Any, *names: str) -> Iterator[Any]:
    """The elements of these names at any depth, in order."""
    return cast("Iterator[Any]", element.iter(*(f"{{*}}{name}" for name in names)))


def find_first(element: Any, *path: str) -> Any | None:
    """The first element at the end of a path of names, each below the one before at any depth."""
    for name in path:
        element = next(find_all(element, name), None)
        if element is None:
            return None
    return element


def get_attribute(element: Any, name: str) -> str | None:
    """An attribute by its name without the namespace."""
    value = element.get(name)
    if value is not None:
        return cast("str", value)
    return next((text for key, text in element.attrib.items() if key.rpartition("}")[2] == name), None)


def _resolve(folder: str, target: str) -> str:
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
