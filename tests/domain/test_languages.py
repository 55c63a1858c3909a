"""Which language a text is in, where that can be told at all."""

import pytest

from pinakes.domain.languages import tell_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The oak is a tree that can live for a thousand years in the forest.", "en"),
        ("Die Eiche ist ein Baum, der in den Wäldern für tausend Jahre leben kann.", "de"),
        ("Дуб — это дерево, которое может жить тысячу лет, и оно было в лесу.", "ru"),
        ("ἡ δρῦς. Η βελανιδιά ζει χίλια χρόνια.", "el"),
        ("橡树可以活一千年,数据存储在 PostgreSQL 中,用 Python 读取。", "zh"),
        ("東京は日本の首都です。データベースに保存されます。", "ja"),
        ("참나무는 천 년을 살 수 있다.", "ko"),
    ],
)
def test_the_language_of_a_text_is_told(text: str, language: str) -> None:
    # K5
    assert tell_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "12 + 30 = 42",
        "x1;y2;z3\n4;5;6",
        "Berlin, Paris, Rome, Madrid, Vienna",
        # Close to a language that is told, and not it.
        "Дуб — це дерево, яке може жити тисячу років, і воно було в лісі.",
        "Dub je strom, který může žít tisíc let, a roste na kopci a v lese se mu daří.",
    ],
    ids=["nothing", "numbers", "table", "names", "Ukrainian", "Czech"],
)
def test_what_nothing_tells_the_language_of_is_called_none(text: str) -> None:
    # K5
    assert tell_language(text) is None
