"""EPUB: the chapters of a book in reading order, named as its table of contents names them."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.domain.place import Place
from pinakes.providers.parsers.archive import Package, open_package
from pinakes.providers.parsers.office.ooxml import find_all, find_part, name_of
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.titles import choose_title
from pinakes.providers.parsers.web.html import add_blocks, decode_html, first_heading
from pinakes.providers.parsers.web.html_blocks import read_blocks

_WHAT = "a book (EPUB)"
_CHAPTERS = 20_000
_LISTED = 5
_TEXT_TYPES = frozenset(("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"))
# Fonts are scrambled with these in books that anyone may read.
_OBFUSCATIONS = frozenset(("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"))


@dataclass(frozen=True, slots=True)
class _Item:
    path: str
    media_type: str
    contents: bool


def parse_epub(content: bytes) -> ParsedDocument:
    """One place a chapter that has text; a fault for a book whose text is encrypted."""
    package = open_package(content, what=_WHAT)
    book_path, book = _find_book(package)
    items = dict(_read_manifest(book, posixpath.dirname(book_path)))
    spine = [items[key] for key in _read_spine(book) if key in items]
    _refuse_encrypted(package, {item.path for item in items.values() if item.media_type in _TEXT_TYPES})
    names = _read_contents(package, items, book)
    outline = Outline()
    missing: list[str] = []
    number = 0
    for item in spine[:_CHAPTERS]:
        if item.media_type not in _TEXT_TYPES or item.contents:
            continue
        chapter = package.find(item.path)
        if chapter is None:
            missing.append(posixpath.basename(item.path))
            continue
        blocks = read_blocks(decode_html(chapter)) if chapter.strip() else []
        if blocks:
            number += 1
            name = names.get(item.path) or first_heading(blocks)
            outline.begin_place(Place("chapter", number, name=name))
            outline.forget_headings()
            add_blocks(outline, blocks)
    return outline.finish(title=choose_title(*_find_titles(book)), remarks=_remark_missing(missing))


def _find_book(package: Package) -> tuple[str, Any]:
    container = find_part(package, "META-INF/container.xml")
    paths = (
        [] if container is None else [unquote(node.get("full-path", "")) for node in find_all(container, "rootfile")]
    )
    paths += [name for name in sorted(package.names) if name.endswith(".opf")]
    for path in paths:
        book = find_part(package, path)
        if book is not None and next(find_all(book, "spine"), None) is not None:
            return path, book
    raise DocumentFault(f"The file is damaged and cannot be opened as {_WHAT}: its list of chapters is missing.")


def _read_manifest(book: Any, folder: str) -> Iterator[tuple[str, _Item]]:
    for node in find_all(book, "item"):
        path = _resolve(folder, node.get("href", ""))
        contents = "nav" in node.get("properties", "").split()
        yield node.get("id", ""), _Item(path, node.get("media-type", "").lower(), contents)


def _read_spine(book: Any) -> list[str]:
    # The same chapter twice would be the same text twice.
    return list(dict.fromkeys(node.get("idref", "") for node in find_all(book, "itemref")))


def _find_titles(book: Any) -> list[str]:
    return ["".join(node.itertext()) for node in find_all(book, "title")]


def _refuse_encrypted(package: Package, texts: set[str]) -> None:
    encryption = find_part(package, "META-INF/encryption.xml")
    if encryption is None:
        return
    for data in find_all(encryption, "EncryptedData"):
        methods = {node.get("Algorithm") for node in data if name_of(node) == "EncryptionMethod"}
        targets = {_resolve("", node.get("URI", "")) for node in find_all(data, "CipherReference")}
        if not methods <= _OBFUSCATIONS and targets & texts:
            raise DocumentFault("The book is protected by DRM and cannot be read; upload a copy without protection.")


def _read_contents(package: Package, items: dict[str, _Item], book: Any) -> dict[str, str]:
    """What the table of contents calls each file: the newer table first, then the older one."""
    nav = next((item.path for item in items.values() if item.contents), None)
    keys = [node.get("toc", "") for node in find_all(book, "spine")]
    older = next((items[key].path for key in keys if key in items), None) or next(
        (item.path for item in items.values() if item.media_type == "application/x-dtbncx+xml"), None
    )
    names: dict[str, str] = {}
    for path, read in ((nav, _read_nav), (older, _read_ncx)):
        root = find_part(package, path) if path else None
        if path is None or root is None:
            continue
        for target, label in read(root):
            name = " ".join(label.split())
            if target and name:
                names.setdefault(_resolve(posixpath.dirname(path), target), name)
    return names


def _read_nav(root: Any) -> Iterator[tuple[str, str]]:
    for nav in find_all(root, "nav"):
        kinds = [value for key, value in nav.attrib.items() if key.endswith("}type")]
        if not kinds or "toc" in " ".join(kinds).split():
            yield from ((node.get("href", ""), "".join(node.itertext())) for node in find_all(nav, "a"))


def _read_ncx(root: Any) -> Iterator[tuple[str, str]]:
    for point in find_all(root, "navPoint"):
        label = next((node for node in point if name_of(node) == "navLabel"), None)
        target = next((node for node in point if name_of(node) == "content"), None)
        if label is not None and target is not None:
            yield target.get("src", ""), "".join(label.itertext())


def _remark_missing(missing: list[str]) -> list[str]:
    if not missing:
        return []
    listed = ", ".join(missing[:_LISTED]) + (", …" if len(missing) > _LISTED else "")
    return [f"{len(missing)} parts that the book lists are not in the file: {listed}."]


def _resolve(folder: str, target: str) -> str:
    path = unquote(target.partition("#")[0])
    return posixpath.normpath(posixpath.join("/", folder, path)).lstrip("/") if path else ""
