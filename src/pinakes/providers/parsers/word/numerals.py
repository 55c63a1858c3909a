"""Numbers of lists and notes, and items of lists, as word processors write them."""

import re

_LARGEST_ROMAN = 3_999
_LARGEST_LETTER = 26 * 5
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_PLAIN_NUMBER = re.compile(r"(\d+)[.)]")


def write_number(number: int, form: str) -> str:
    """A number in Word's format of this name, such as lowerRoman; in digits where the format is not known."""
    if form.endswith("Roman") and 0 < number <= _LARGEST_ROMAN:
        return _write_roman(number) if form == "lowerRoman" else _write_roman(number).upper()
    if form.endswith("Letter") and 0 < number <= _LARGEST_LETTER:
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter if form == "lowerLetter" else letter.upper()
    return f"{number:02}" if form == "decimalZero" else str(number)


def write_item(mark: str, text: str) -> str:
    """An item of a list in Markdown, on one line; a mark that Markdown does not know stands before the text."""
    plain = _PLAIN_NUMBER.fullmatch(mark)
    text = " ".join(text.split())
    if plain:
        return f"{plain[1]}. {text}"
    return f"- {text}" if mark in ("-", "") else f"- {mark} {text}"


def _write_roman(number: int) -> str:
    roman = ""
    for worth, letters in _ROMAN:
        roman += letters * (number // worth)
        number %= worth
    return roman
