"""Numbers as a spreadsheet shows them: dates in ISO form, percentages, decimals, currencies."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache

GENERAL = "General"
# The formats that a workbook uses by number alone; those of other languages' dates are told apart below.
_BUILT_IN: Mapping[int, str] = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    **dict.fromkeys((14, 15, *range(27, 32), 36, *range(50, 55), 57, 58), "yyyy-mm-dd"),
    16: "d-mmm",
    17: "mmm-yy",
    **dict.fromkeys((18, 19, 20, 21, *range(32, 36), 55, 56), "h:mm:ss"),
    22: "yyyy-mm-dd h:mm",
    37: "#,##0;(#,##0)",
    38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss",
    49: "@",
}
# Quoted words, an escaped character, a space as wide as a character, a fill, a condition, colour or currency.
_TOKENS = re.compile(r'"([^"]*)"?|\\(.)|_.|\*.|\[([^\]]*)\]')
_CURRENCY = re.compile(r"\$([^-]*)")
_DIGITS = re.compile(r"[#0?][#0?,.]*|\.[#0?]+")
_SET_ASIDE = "\ufffc"
_CODES = 1_024  # how many formats are kept in mind
_LAST_SERIAL = 2_958_466  # the day after 9999-12-31
_LONGEST_PLAIN = 21  # digits before a number is written with an exponent


def get_built_in_format(number: int) -> str:
    """The format code that this number stands for in every workbook."""
    return _BUILT_IN.get(number, GENERAL)


def show_number(written: str, code: str = GENERAL, *, since_1904: bool = False) -> str:
    """The number as a person sees it under this format code; unchanged where it is none."""
    if code == GENERAL and written.isdigit():
        return written
    try:
        value = Decimal(written)
    except InvalidOperation:
        return written
    if not value.is_finite():
        return written
    shown = None if code == GENERAL else _show_by_code(value, code, since_1904)
    return shown or _show_plain(written, value)


def _show_by_code(value: Decimal, code: str, since_1904: bool) -> str | None:
    section = _choose_section(code, value)
    letters = _find_letters(section)
    if letters.strip() in ("general", "@"):
        return None
    if re.search(r"[dyhsm]", letters) and "e+" not in letters:
        return _show_moment(value, letters, since_1904)
    return _show_formatted(value, section)


def _choose_section(code: str, value: Decimal) -> str:
    sections = _split_sections(code)
    if value < 0 and len(sections) > 1:
        return sections[1]
    return sections[2] if value == 0 and len(sections) > 2 else sections[0]


@lru_cache(_CODES)
def _split_sections(code: str) -> list[str]:
    return re.findall(r'(?:"[^"]*"?|\\.|[^;"\\])+', code) or [GENERAL]


@lru_cache(_CODES)
def _find_letters(section: str) -> str:
    """A section of a format without its words, colours and conditions."""
    return _TOKENS.sub(_keep_elapsed, section).lower()


def _keep_elapsed(token: re.Match[str]) -> str:
    inner = (token[3] or "").lower()
    return f"[{inner}]" if inner and not inner.strip("hms") else ""


def _show_plain(written: str, value: Decimal) -> str:
    shown = f"{float(written):.15g}"
    if "e" not in shown and value.adjusted() < 15:
        return shown
    if written.lstrip("-").isdigit():
        return written
    if value.adjusted() >= _LONGEST_PLAIN or value.adjusted() < -_LONGEST_PLAIN:
        return written if "inf" in shown else shown
    # A workbook stores the binary fraction: 0.1 is written as 0.10000000000000001.
    plain = f"{Decimal(shown):f}" if value != value.to_integral_value() else f"{value:f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _show_moment(value: Decimal, letters: str, since_1904: bool) -> str | None:
    serial = float(value)
    if not 0 <= serial < _LAST_SERIAL:
        return None
    has_time = bool(re.search(r"[hs]", letters))
    if "[" in letters:
        seconds = round(serial * 86_400)
        return f"{seconds // 3_600}:{seconds % 3_600 // 60:02}:{seconds % 60:02}"
    has_date = bool(re.search(r"[dy]", letters)) or not has_time
    # The first spreadsheets took 1900 for a leap year, and all others follow.
    epoch = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 31 if serial < 60 else 30)  # noqa: DTZ001
    moment = epoch + timedelta(seconds=round(serial * 86_400))
    clock = moment.strftime("%H:%M:%S" if moment.second or "s" in letters else "%H:%M") if has_time else ""
    if not has_date or (has_time and serial < 1):
        return clock
    if serial < 1 and not since_1904:
        return None
    day = moment.strftime("%Y-%m-%d").zfill(10)
    if "d" not in letters and "y" in letters and "m" in letters and not has_time:
        return day[:7]
    return f"{day} {clock}".strip()


def _show_formatted(value: Decimal, section: str) -> str | None:
    words: list[str] = []
    pattern = _TOKENS.sub(lambda token: _set_aside(token, words), section)
    places = _DIGITS.search(pattern)
    # Fractions and powers of ten read best as plain numbers.
    if "/" in pattern or re.search(r"E[+-]", pattern, re.IGNORECASE):
        return None
    if places is None:
        return _put_back(pattern, words) or None
    digits = places[0].rstrip(",")
    scaled = value * 100 ** pattern.count("%") / 1_000 ** (len(places[0]) - len(digits))
    shown = _round(scaled, digits)
    if shown is None:
        return None
    before, after = pattern[: places.start()], pattern[places.end() :]
    # A section of its own for negative numbers brings its own sign, be it a minus or brackets.
    sign = "-" if value < 0 and shown.strip("0.,") and not re.search(r"[-(]", _put_back(before, words)) else ""
    return sign + _put_back(f"{before}{shown}{after}", words)


def _round(value: Decimal, digits: str) -> str | None:
    whole, _, decimals = digits.partition(".")
    try:
        rounded = value.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
    except InvalidOperation:
        return None
    shown = f"{abs(rounded):{',' if ',' in whole else ''}f}"
    if optional := len(decimals) - len(decimals.rstrip("#?")):
        shown = (shown[:-optional] + shown[-optional:].rstrip("0")).rstrip(".")
    if "," in whole:
        return shown
    head, point, tail = shown.partition(".")
    return head.zfill(whole.count("0")) + point + tail


def _set_aside(token: re.Match[str], words: list[str]) -> str:
    # A digit or a percent sign inside quotes is no part of the pattern.
    if token[3] is not None:
        currency = _CURRENCY.match(token[3])
        words.append(currency[1] if currency else "")
    else:
        words.append(token[1] or token[2] or "")
    return _SET_ASIDE


def _put_back(pattern: str, words: list[str]) -> str:
    parts = iter(words)
    return re.sub(_SET_ASIDE, lambda _: next(parts, ""), pattern).strip()
