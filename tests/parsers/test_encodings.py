"""Text encodings: short texts of many languages are read as they were written."""

import pytest

from pinakes.domain.errors import DocumentFault
from pinakes.providers.parsers.text.plain import decode
from pinakes.providers.sniffing import sniff

_JAPANESE = (
    "これは日本語のテキストです。",
    "会議は十時から始まります。資料を持ってきてください。",
    "商品名,価格\nりんご,120\nみかん,80\n",
    "名前,年齢,住所\r\n佐藤太郎,30,東京\r\n三木英子,25,大阪\r\n",
)
_SIMPLIFIED = (
    "这是一个中文文本文件，用于测试。",
    "姓名,年龄,城市\n张三,30,北京\n李四,25,上海\n",
    "会议将于上午十点开始，请带上资料。",
    "产品说明书",
)
_TRADITIONAL = ("這是一個中文文字檔案，用於測試。", "姓名,年齡,城市\n張三,30,台北\n李四,25,高雄\n", "產品說明書")
_KOREAN = ("이것은 한국어 텍스트 파일입니다.", "이름,나이,도시\n김철수,30,서울\n이영희,25,부산\n", "제품 설명서")
_RUSSIAN = ("Привет мир, это обычный русский текст", "Имя;Возраст\nИван;30\nМария;25\n", "Встреча начнётся в десять.")
_WESTERN = (
    "Él niño comió piñas",
    "naïve café",
    "Name;Größe\nMüller;180\nJäger;175\n",
    "Les élèves sont très âgés, à l'été.",
    "São Paulo é uma cidade enorme, não é?",
    "smörgåsbord på svenska är gott",
    "20 °C",
)
_TYPOGRAPHIC = ("It’s a “quoted” text – with dashes… and €5", "Price: €20 – naïve", "I don’t know")
_CENTRAL = (
    "Všichni lidé rodí se svobodní a sobě rovní.",
    "Wszyscy ludzie rodzą się wolni i równi.",
    "Žluťoučký kůň ďábelsky úpěl",
)
_WIDE = (
    "text in sixteen bits without a mark",
    "a,b\n1,2\n",
    "Привет мир",
    *_JAPANESE[:1],
    *_SIMPLIFIED[:2],
    *_KOREAN[:1],
)

_CASES = {
    "shift_jis": _JAPANESE,
    "cp932": ("髙橋淳,35,名古屋\r\n", "①番の項目は㈱山田です。"),
    "euc_jp": _JAPANESE,
    "iso2022_jp": _JAPANESE,
    "gbk": _SIMPLIFIED,
    "gb18030": _SIMPLIFIED,
    "big5": _TRADITIONAL,
    "euc_kr": _KOREAN,
    "cp949": ("똠방각하와 펲시콜라를 먹었다",),
    "cp1251": _RUSSIAN,
    "koi8-r": _RUSSIAN,
    "latin-1": _WESTERN,
    "cp1252": (*_WESTERN, *_TYPOGRAPHIC),
    "cp1250": _CENTRAL,
    "cp1253": ("Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι.",),
    "cp1254": ("Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.",),
    "cp1255": ("כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",),
    "cp1256": ("يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق.",),
    "tis-620": ("มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์",),
    "utf-8": (*_JAPANESE, *_WESTERN),
    "utf-8-sig": (*_KOREAN, *_RUSSIAN),
    "utf-16": (*_WIDE, *_WESTERN),
    "utf-16-le": _WIDE,
    "utf-16-be": _WIDE,
    "utf-32": _WIDE,
}


@pytest.mark.parametrize(("encoding", "text"), [(name, text) for name, texts in _CASES.items() for text in texts])
def test_a_short_text_is_read_as_it_was_written(encoding: str, text: str) -> None:
    # K1
    content = text.encode(encoding)
    assert decode(content) == text
    assert sniff("table.csv", content) == "text/csv"


def test_letters_far_down_in_a_long_plain_file_decide() -> None:
    # K1
    text = "plain ascii " * 30_000 + "dann größer, schöner und weiß"
    assert decode(text.encode("cp1252")) == text


def test_a_few_broken_bytes_do_not_change_the_encoding_of_the_rest() -> None:
    # K1
    assert "größer" in decode("dann größer und schöner – ".encode() * 9 + b"\xff end")


def test_what_is_no_text_in_any_encoding_fails_in_words() -> None:
    # K3
    with pytest.raises(DocumentFault, match="save it as UTF-8"):
        decode(bytes(range(256)) * 3)
