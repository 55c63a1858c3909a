"""The words of the RTF language: how a file falls into tokens, and what its code pages and destinations are."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_TOKEN = re.compile(
    rb"\\([A-Za-z]{1,32})(-?[0-9]{1,10})?[ ]?|\\'([0-9A-Fa-f]{2})|\\([^A-Za-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\",
    re.DOTALL,
)
_LAST_CODE_POINT = 0xFFFF
_BYTE_ORDER_MARK = 0xFEFF
_SURROGATE = re.compile("[\ud800-\udfff]")
DEFAULT_ENCODING = "cp1252"
_CHARSETS = {
    77: "mac_roman",
    78: "shift_jis",
    79: "big5",
    80: "euc_kr",
    81: "mac_arabic",
    83: "mac_greek",
    84: "mac_cyrillic",
    85: "gb2312",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
CHARACTERS = {
    "tab": "\t",
    "line": "\n",
    "softline": "\n",
    "emdash": "\u2014",
    "endash": "\u2013",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
    "bullet": "\u2022",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
    "nestcell": ", ",
    "nestrow": "; ",
}
SYMBOLS = {"~": " ", "_": "-", "{": "{", "}": "}", "\\": "\\"}
# Destinations whose text is no part of the document, also where they are not marked as such.
# fmt: off
UNSEEN = frozenset((
    "colortbl", "filetbl", "listtable", "listoverridetable", "revtbl", "rsidtbl", "generator", "pict", "nonshppict",
    "shprslt", "objdata", "objclass", "objname", "datafield", "bkmkstart", "bkmkend", "xe", "tc", "rxe", "txe",
    "atnid", "atnref", "atndate", "atnicn", "atntime", "atnparent", "ftnsep", "ftnsepc", "ftncn", "aftnsep",
    "aftnsepc", "aftncn", "pnseclvl", "pntxta", "pntxtb", "themedata", "colorschememapping", "latentstyles",
    "datastore", "template", "background", "formfield", "fldtype", "mmathPict", "private", "xmlnstbl",
    "wgrffmtfilter", "sp", "sn", "sv", "upr", "panose", "falt", "nonesttables", "operator", "author", "keywords",
    "subject", "company", "category", "comment", "doccomm", "manager", "hlinkbase", "creatim", "revtim", "printim",
    "buptim", "info",
))
# fmt: on
# Destinations that readers may skip, but that hold words all the same.
SEEN = frozenset({"ud", "moMath", "moMathPara", "shpinst"})


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of the file: a control word with its number, a symbol, a brace, bytes of text or one byte's code."""

    kind: Literal["word", "symbol", "brace", "text", "code"]
    text: str = ""
    number: int | None = None
    content: bytes = b""


def read_tokens(content: bytes) -> Iterator[Token]:
    """The file's tokens in order; binary data is passed over."""
    position = 0
    while match := _TOKEN.match(content, position):
        position = match.end()
        word, number, code, symbol, brace, text = match.groups()
        if text is not None:
            yield Token("text", content=text)
        elif word is not None:
            value = int(number) if number else None
            if word == b"bin":
                position += max(0, value or 0)
            else:
                yield Token("word", word.decode("ascii"), value)
        elif code is not None:
            yield Token("code", content=bytes.fromhex(code.decode("ascii")))
        elif brace is not None:
            yield Token("brace", brace.decode("ascii"))
        elif symbol is not None:
            yield Token("symbol", symbol.decode("latin-1"))


def find_encoding(code_page: int | None) -> str:
    """The codec of a code page; Western European where there is no such."""
    name = "gb18030" if code_page == 936 else f"cp{code_page}"
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "utf-8" if code_page == 65001 else DEFAULT_ENCODING


def find_charset(charset: int | None, default: str) -> str:
    """The codec of a font's character set; the document's own where the font does not say."""
    return _CHARSETS.get(charset or 0, default)


def read_unicode(number: int | None) -> str:
    """The character of a number that may be written as negative."""
    code = (number or 0) & _LAST_CODE_POINT
    return "" if code == _BYTE_ORDER_MARK else chr(code)


def join_surrogates(text: str) -> str:
    """The text with characters beyond the first plane put together from their halves; a lone half is replaced."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
