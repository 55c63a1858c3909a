"""Outlook messages made for tests: a compound file with one stream for each property."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_SECTOR = 512
_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_SMALLEST = 4_096  # smaller streams would live in a file system of their own

Tree = Mapping[str, Any]


@dataclass(slots=True)
class _Entry:
    name: str
    kind: int
    start: int = _END
    size: int = 0
    right: int = _FREE
    child: int = _FREE


@dataclass(slots=True)
class _File:
    entries: list[_Entry] = field(default_factory=lambda: [_Entry("Root Entry", 5)])
    data: bytearray = field(default_factory=bytearray)
    chains: list[int] = field(default_factory=list[int])

    def add(self, parent: int, tree: Tree) -> None:
        """Put these streams (bytes) and storages (mappings) below an entry."""
        last = None
        for name, content in tree.items():
            index = len(self.entries)
            self.entries.append(_Entry(name, 2 if isinstance(content, bytes) else 1))
            if last is None:
                self.entries[parent].child = index
            else:
                self.entries[last].right = index
            last = index
            if isinstance(content, bytes):
                self.entries[index].start = self._store(content)
                self.entries[index].size = max(len(content), _SMALLEST)
            else:
                self.add(index, content)

    def _store(self, content: bytes) -> int:
        start = len(self.chains)
        size = max(len(content), _SMALLEST)
        sectors = -(-size // _SECTOR)
        self.data += content.ljust(sectors * _SECTOR, b"\0")
        self.chains += [*range(start + 1, start + sectors), _END]
        return start


def text(value: str) -> bytes:
    """A property that is text."""
    return value.encode("utf-16-le")


def numbers(header: int, *properties: tuple[int, int, int]) -> bytes:
    """Properties of fixed size: number, type, value."""
    return bytes(header) + b"".join(struct.pack("<HHIQ", kind, number, 6, value) for number, kind, value in properties)


def make_msg(tree: Tree) -> bytes:
    """The compound file of these streams and storages."""
    file = _File()
    file.add(0, tree)
    directory = b"".join(map(_pack, file.entries))
    directory += b"\0" * (-len(directory) % _SECTOR)
    first_directory = len(file.chains)
    directory_sectors = len(directory) // _SECTOR
    chains = [*file.chains, *range(first_directory + 1, first_directory + directory_sectors), _END]
    table_sectors = 1
    while (len(chains) + table_sectors) * 4 > table_sectors * _SECTOR:
        table_sectors += 1
    first_table = len(chains)
    chains += [_FAT] * table_sectors
    chains += [_FREE] * (table_sectors * _SECTOR // 4 - len(chains))
    places = [*range(first_table, first_table + table_sectors), *[_FREE] * (109 - table_sectors)]
    header = struct.pack(
        "<8s16sHHHHH6x9I109I",
        *(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", bytes(16), 0x3E, 3, 0xFFFE, 9, 6, 0, table_sectors, first_directory),
        *(0, _SMALLEST, _END, 0, _END, 0),
        *places,
    )
    return header + bytes(file.data) + directory + struct.pack(f"<{len(chains)}I", *chains)


def _pack(entry: _Entry) -> bytes:
    name = (entry.name + "\0").encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII16sIQQIQ",
        *(name, len(name), entry.kind, 1, _FREE, entry.right, entry.child, bytes(16), 0, 0, 0, entry.start, entry.size),
    )
