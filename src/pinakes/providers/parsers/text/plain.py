"""Plain text: which encoding it is in, and its characters exactly as decoded."""

import codecs
import re
from collections.abc import Sequence

import chardet

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument, Section

# UTF-32 stands before UTF-16: its little-endian mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE_BYTES = 200_000
_WIDE_SAMPLE_BYTES = 8_192
_DAMAGED_SHARE = 0.05
# What files are really in. The detector knows more, such as mainframes' tables, and would find them in short texts.
_EAST_ASIAN = ("cp932", "euc_jis_2004", "gb18030", "big5hkscs", "cp949", "euc_kr")
_LATIN = ("cp1252", "cp1250", "cp1254", "cp1257", "iso8859-1", "iso8859-2", "iso8859-9", "iso8859-15", "mac-roman")
# Scripts that share no letter with ASCII: a word is written in the one or in the other.
_UNMIXED = (
    *("cp1251", "koi8-r", "koi8-u", "cp866", "iso8859-5", "cp1253", "iso8859-7", "cp1255", "iso8859-8", "cp1256"),
    *("tis-620", "cp874"),
)
_UNICODE = ("ascii", "utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
_SWITCHING = ("iso2022_jp_2", "iso2022_kr", "hz")
_CANDIDATES = (*_EAST_ASIAN, *_LATIN, *_UNMIXED, *_UNICODE, *_SWITCHING, "cp1258")
_EAST_ASIAN_NAMES = frozenset(
    {"cp932", "shift_jis", "shift_jis_2004", "euc_jp", "gb18030", "big5", "big5hkscs", "cp949", "euc_kr"}
)
_WORDS = re.compile(rb"[A-Za-z\x80-\xff]+")
# Control characters in the ISO tables, which no text holds; letters and quotation marks in those of Windows.
_SECOND_CONTROLS = re.compile(rb"[\x80-\x84\x86-\x9f]")
_ASCII_LETTER = re.compile(rb"[A-Za-z]")
# Of Latin tables that fit a short text about as well, the one of nearly all such files is taken.
_USUAL_LATIN = "cp1252"
_LATIN_CLOSE = 0.7
_LATIN_CLOSE_IF_UNSURE = 0.5
_UNSURE = 0.08
# East Asian tables that fit about as well are told apart by the characters every text of the language holds.
_EAST_ASIAN_CLOSE = 0.5
_COMMONEST = frozenset(
    "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開手"
    "米力学問高代明実円関決子動京全目表戦経通外最言理調体化田当八六約主題下意法不来作性的要用制度務強気小七成期公名住所古野"
    "是了我在有他这来个到说们为和你地道也得就那以着去之过家对可她里么心多天而能好都然没于起还发只想看文无如经头面已老从两知"
    "样现将外但身些与进把此二美点其种声工己话儿向情正女力机给等几很业第門關會這個們為來時說國對後過發經長開東現樣將與進實"
)
_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HANGUL_TO_IDEOGRAPHS = 8
_IDEOGRAPHS = re.compile("[\u3400-\u9fff\uf900-\ufaff\ue000-\uf8ff\U00020000-\U0003ffff]")
# The blocks of scripts in daily use: half of all sixteen-bit values lie outside.
_USUAL_BLOCKS = re.compile(
    "[\t-\r -~\u00a0-\u024f\u0370-\u06ff\u0900-\u097f\u0e00-\u0e7f\u1e00-\u206f\u3000-\u30ff\u4e00-\u9fff"
    "\uac00-\ud7a3\uff00-\uffef]*"
)


def parse_text(content: bytes) -> ParsedDocument:
    """The whole text as one section; a fault where there is none."""
    text = decode(content)
    return ParsedDocument(text=text, sections=(Section(start=0, end=len(text)),))


def decode(content: bytes) -> str:
    """The characters of a text file without its byte order mark; a fault if there are none to be seen."""
    mark, encoding = find_mark(content)
    body = content[len(mark) :]
    text = body.decode(encoding, "replace") if encoding else _decode_unmarked(body)
    if not text.strip():
        raise DocumentFault("The file has no text.")
    return text


def find_mark(content: bytes) -> tuple[bytes, str | None]:
    """The byte order mark that the content begins with and the encoding it stands for, if any."""
    return next(((mark, name) for mark, name in _MARKS if content.startswith(mark)), (b"", None))


def guess_encoding(content: bytes) -> str | None:
    """The most likely encoding of text that carries no mark, or None for what is no text."""
    # Much of a long file may be plain ASCII: look where it is not. Whole UTF-32 units keep their alignment.
    first = re.search(rb"[^\x01-\x7f]", content)
    start = max(0, first.start() - 1_000) // 4 * 4 if first else 0
    sample = content[start : start + _SAMPLE_BYTES]
    found = chardet.detect_all(sample, ignore_threshold=True, include_encodings=_CANDIDATES)
    ranked = [(codecs.lookup(entry["encoding"]).name, entry["confidence"]) for entry in found if entry["encoding"]]
    if _SECOND_CONTROLS.search(sample):
        ranked = [entry for entry in ranked if not entry[0].startswith("iso8859")] or ranked
    if not ranked:
        return _guess_wide(sample)
    if ranked[0][0] in _UNMIXED and _mixes_letters(sample):
        ranked = [entry for entry in ranked if entry[0] in _LATIN] or ranked
    return _settle_latin(ranked) or _settle_east_asian(sample, ranked) or ranked[0][0]


def _mixes_letters(sample: bytes) -> bool:
    words = [word for word in _WORDS.findall(sample) if not word.isascii()]
    return sum(_ASCII_LETTER.search(word) is not None for word in words) * 2 > len(words)


def _settle_latin(ranked: Sequence[tuple[str, float]]) -> str | None:
    best, confidence = ranked[0]
    close = confidence * (_LATIN_CLOSE_IF_UNSURE if confidence < _UNSURE else _LATIN_CLOSE)
    return _USUAL_LATIN if best in _LATIN and dict(ranked).get(_USUAL_LATIN, 0.0) >= close else None


def _settle_east_asian(sample: bytes, ranked: Sequence[tuple[str, float]]) -> str | None:
    best, confidence = ranked[0]
    if best not in _EAST_ASIAN_NAMES:
        return None
    close = [name for name, other in ranked if name in _EAST_ASIAN_NAMES and other >= confidence * _EAST_ASIAN_CLOSE]
    return max(close, key=lambda name: _share_of_commonest(sample.decode(name, "replace")))


def _share_of_commonest(text: str) -> float:
    kana, hangul, ideographs = (len(script.findall(text)) for script in (_KANA, _HANGUL, _IDEOGRAPHS))
    # Korean is hardly ever written with many ideographs, Chinese and Japanese never with Hangul.
    common = (
        kana + (hangul if hangul > ideographs * _HANGUL_TO_IDEOGRAPHS else 0) + sum(map(_COMMONEST.__contains__, text))
    )
    return common / max(1, kana + hangul + ideographs)


def _guess_wide(sample: bytes) -> str | None:
    # Kana in sixteen bits look like control characters to the detector.
    sample = sample[: min(len(sample), _WIDE_SAMPLE_BYTES) // 2 * 2]
    fitting = [
        (len(set(sample[high::2])), name)
        for name, high in (("utf-16-le", 1), ("utf-16-be", 0))
        if sample and _USUAL_BLOCKS.fullmatch(sample.decode(name, "replace"))
    ]
    # The first bytes of a script's characters differ less than the second ones.
    return min(fitting)[1] if fitting else None


def _decode_unmarked(body: bytes) -> str:
    # Encodings that switch by escape sequences (ISO-2022-JP) would pass for UTF-8, and so would UTF-16.
    if b"\x1b" not in body and b"\x00" not in body:
        text = body.decode("utf-8", "replace")
        if _is_utf8(body, text):
            return text
    encoding = guess_encoding(body)
    if encoding is None:
        raise DocumentFault("The file's text encoding could not be recognised; save it as UTF-8 and try again.")
    return body.decode(encoding, "replace")


def _is_utf8(body: bytes, decoded: str) -> bool:
    # A few broken bytes in UTF-8 must not turn the rest into another encoding's letters; in a legacy encoding
    # nearly every byte above ASCII is broken as UTF-8.
    damaged = decoded.count("\ufffd") - body.count(b"\xef\xbf\xbd")
    beyond_ascii = len(decoded) - len(decoded.encode("ascii", "ignore"))
    return damaged <= beyond_ascii * _DAMAGED_SHARE
