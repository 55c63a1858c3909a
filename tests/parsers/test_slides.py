"""Presentations: every slide in its own place, with all that is said on it and about it."""

import io
from collections.abc import AsyncIterator, Callable
from typing import Any, cast

import pytest
from office_files import make_odf, make_ole, make_ppt, make_relations, make_zip, replace_part
from pptx import Presentation  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]
from pptx.chart.data import CategoryChartData  # pyright: ignore[reportMissingTypeStubs]
from pptx.enum.chart import XL_CHART_TYPE  # pyright: ignore[reportMissingTypeStubs]
from pptx.util import Inches  # pyright: ignore[reportMissingTypeStubs]
from table_checks import fault_of

from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.pool import ParserLimits, ParserPool
from pinakes.providers.parsers.slides.odp import parse_odp
from pinakes.providers.parsers.slides.ppt import parse_ppt
from pinakes.providers.parsers.slides.pptx import parse_pptx

PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
ODP = "application/vnd.oasis.opendocument.presentation"
PPT = "application/vnd.ms-powerpoint"
_SLIDE_NAMESPACES = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
)


@pytest.fixture
async def pool() -> AsyncIterator[ParserPool]:
    """A pool of one confined child."""
    pool = ParserPool(size=1, limits=ParserLimits())
    yield pool
    await pool.close()


def new_presentation() -> Any:
    """An empty presentation of python-pptx."""
    return cast("Any", Presentation())


def save(presentation: Any) -> bytes:
    """The presentation as a file."""
    target = io.BytesIO()
    presentation.save(target)
    return target.getvalue()


def add_slide(presentation: Any, title: str, *lines: tuple[int, str]) -> Any:
    """A slide with a title and a body of lines at their levels."""
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.shapes.title.text = title
    frame = slide.placeholders[1].text_frame
    for index, (level, text) in enumerate(lines):
        paragraph = frame.paragraphs[0] if index == 0 else frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    return slide


def make_bare_pptx(shapes: str, **parts: str) -> bytes:
    """A presentation of one slide made of this XML; other parts are named after their file and linked by kind."""
    links = {kind: (kind, f"../{kind}.xml") for kind in parts}
    tree = f"<p:cSld><p:spTree>{shapes}</p:spTree></p:cSld>"
    return make_zip(
        {
            "ppt/slides/slide1.xml": f"<p:sld {_SLIDE_NAMESPACES}>{tree}</p:sld>",
            "ppt/slides/_rels/slide1.xml.rels": make_relations(links),
            **{f"ppt/{kind}.xml": f"<part {_SLIDE_NAMESPACES}>{part}</part>" for kind, part in parts.items()},
        }
    )


def shape(*texts: str, kind: str | None = None) -> str:
    """A shape with paragraphs of text, maybe a placeholder."""
    mark = "" if kind is None else f'<p:ph type="{kind}"/>'
    paragraphs = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in texts)
    return f"<p:sp><p:nvSpPr><p:nvPr>{mark}</p:nvPr></p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>"


def places_of(parsed: ParsedDocument) -> list[tuple[str, str]]:
    """The first line of each section and where it stands."""
    return [
        (parsed.text[part.start : part.end].split("\n", maxsplit=1)[0], part.place.describe())
        for part in parsed.sections
        if part.place
    ]


def make_talk() -> bytes:
    """Two slides with a list, a table, a chart and notes; the second is hidden."""
    presentation = new_presentation()
    first = add_slide(presentation, "Why water", (0, "Rain"), (1, "Light"), (1, "Heavy"), (0, "Rivers"))
    first.notes_slide.notes_text_frame.text = "Speak slowly."
    second = add_slide(presentation, "Figures", (0, "As measured"))
    cells = second.shapes.add_table(2, 3, 0, 0, Inches(4), Inches(1)).table
    for index, text in enumerate(("Place", "Level", "Note")):
        cells.cell(0, index).text = text
    cells.cell(1, 0).text = "Bonn"
    cells.cell(1, 1).text = "3 m"
    cells.cell(1, 1).merge(cells.cell(1, 2))
    data = CategoryChartData(number_format="0.0%")
    data.categories = ["May", "June"]
    cast("Any", data).add_series("Rain", (0.25, 0.5))
    chart = second.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(4), Inches(3), data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Rain by month"
    second._element.set("show", "0")
    presentation.core_properties.title = "PowerPoint Presentation"
    return save(presentation)


def test_a_slide_has_its_title_list_table_chart_and_notes() -> None:
    # K1, K5
    parsed = parse_pptx(make_talk())
    assert parsed.text == (
        "# Why water\n\n- Rain\n  - Light\n  - Heavy\n- Rivers\n\n## Notes\n\nSpeak slowly.\n\n"
        "# Figures\n\nAs measured\n\n| Place | Level | Note |\n| --- | --- | --- |\n| Bonn | 3 m |  |\n\n"
        "Chart: Rain by month\n\n|  | Rain |\n| --- | --- |\n| May | 25.0% |\n| June | 50.0% |\n\n"
    )
    assert places_of(parsed) == [
        ("# Why water", "slide 1: Why water"),
        ("## Notes", "slide 1: Why water"),
        ("# Figures", "slide 2: Figures"),
    ]
    assert [part.headings for part in parsed.sections] == [("Why water",), ("Why water", "Notes"), ("Figures",)]
    assert parsed.title == "Why water"


def test_shapes_in_groups_and_alternatives_are_read_once_and_furniture_not_at_all() -> None:
    # K1
    choice = f"<mc:Choice>{shape('new form')}</mc:Choice><mc:Fallback>{shape('old form')}</mc:Fallback>"
    shapes = (
        f"{shape('before')}<p:grpSp>{shape('inner')}<p:grpSp>{shape('innermost')}</p:grpSp></p:grpSp>"
        f"<mc:AlternateContent>{choice}</mc:AlternateContent>{shape('7', kind='sldNum')}{shape('Corp.', kind='ftr')}"
        f"{shape('The', 'title', kind='ctrTitle')}"
    )
    parsed = parse_pptx(make_bare_pptx(shapes))
    assert parsed.text == "# The title\n\nbefore\n\ninner\n\ninnermost\n\nnew form\n\n"


def test_numbered_and_marked_paragraphs_are_lists_and_others_are_not() -> None:
    # K1
    def paragraph(text: str, inner: str = "", level: int = 0) -> str:
        return f'<a:p><a:pPr lvl="{level}">{inner}</a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>'

    number, sign = '<a:buAutoNum type="arabicPeriod"/>', '<a:buChar char="•"/>'
    body = (
        paragraph("Before")
        + paragraph("one", number)
        + paragraph("inner", sign, 1)
        + paragraph("two", number)
        + "<a:p><a:r><a:t>af</a:t></a:r><a:r><a:t>ter</a:t></a:r><a:br/><a:fld><a:t>wards</a:t></a:fld></a:p>"
    )
    parsed = parse_pptx(make_bare_pptx(f"<p:sp><p:nvSpPr/><p:txBody>{body}</p:txBody></p:sp>"))
    assert parsed.text == "Before\n\n1. one\n  - inner\n2. two\n\nafter wards\n\n"


def test_diagrams_and_comments_are_read() -> None:
    # K1
    data = '<a:graphicData><dgm:relIds r:dm="diagramData"/></a:graphicData>'
    diagram = f"<p:graphicFrame><a:graphic>{data}</a:graphic></p:graphicFrame>"
    points = "".join(
        f'<dgm:pt type="{kind}"><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for kind, text in (("doc", ""), ("node", "Plan"), ("node", "Do"))
    )
    comments = "<p:cm><p:text>Is this so?</p:text></p:cm>"
    parsed = parse_pptx(make_bare_pptx(diagram, diagramData=points, comments=comments))
    assert parsed.text == "- Plan\n- Do\n\n## Comments\n\n- Is this so?\n\n"


def test_a_damaged_slide_is_left_out_with_a_remark_and_the_numbers_of_the_others_stay() -> None:
    # K3
    presentation = new_presentation()
    for title in ("One", "Two", "Three"):
        add_slide(presentation, title)
    parsed = parse_pptx(replace_part(save(presentation), "ppt/slides/slide2.xml", "<p:sld><p:cSld>"))
    assert places_of(parsed) == [("# One", "slide 1: One"), ("# Three", "slide 3: Three")]
    assert parsed.remarks == ("Slide 2 is damaged and was left out.",)
    assert parsed.pages == 3


def test_slides_follow_the_order_of_the_presentation_and_not_of_its_files() -> None:
    # K5
    presentation = new_presentation()
    for number in range(1, 12):
        add_slide(presentation, f"Slide no. {number}")
    order = presentation.slides._sldIdLst
    order.insert(0, order[-1])
    parsed = parse_pptx(save(presentation))
    assert [line for line, _ in places_of(parsed)][:3] == ["# Slide no. 11", "# Slide no. 1", "# Slide no. 2"]


@pytest.mark.parametrize(
    ("parse", "content", "words"),
    [
        (parse_pptx, b"PK\x03\x04 nonsense", "damaged and cannot be opened as a PowerPoint presentation"),
        (parse_pptx, make_zip({"a.txt": "b"}), "no slides"),
        (parse_pptx, make_bare_pptx("<p:pic/>"), "no text"),
        (parse_pptx, make_bare_pptx("<p:grpSp>" * 100_000), "damaged"),
        (parse_pptx, make_bare_pptx("<p:grpSp>" * 9_000 + shape("deep") + "</p:grpSp>" * 9_000), "damaged"),
        (parse_odp, make_zip({"content.xml": "<a/>"}), "damaged and cannot be opened as an OpenDocument presentation"),
        (parse_odp, make_odf("", **{"META-INF__manifest": "<manifest:encryption-data/>"}), "protected by a password"),
        (parse_ppt, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "damaged"),
        (parse_ppt, make_ppt([]), "no text"),
        (parse_ppt, make_ole({"Current User": bytes(20), "PowerPoint Document": bytes(99)}), "damaged"),
    ],
)
def test_a_presentation_that_cannot_be_read_fails_in_words(
    parse: Callable[[bytes], ParsedDocument], content: bytes, words: str
) -> None:
    # K3
    assert words in fault_of(parse, content)


def frame(content: str, kind: str = "") -> str:
    """A frame on a slide of an OpenDocument presentation."""
    return f'<draw:frame presentation:class="{kind}">{content}</draw:frame>'


def box(*paragraphs: str, kind: str = "") -> str:
    """A frame with paragraphs of text."""
    lines = "".join(f"<text:p>{paragraph}</text:p>" for paragraph in paragraphs)
    return frame(f"<draw:text-box>{lines}</draw:text-box>", kind)


def make_odp() -> bytes:
    """Two slides: one with a title, a list, notes and a comment, one with a table and a chart in a group."""
    items = (
        "<text:list><text:list-item><text:p>Rain</text:p><text:list><text:list-item><text:p>Light</text:p>"
        "</text:list-item></text:list></text:list-item>"
        "<text:list-item><text:p>Rivers</text:p></text:list-item></text:list>"
    )
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    table = "".join(
        f"<table:table-row>{''.join(map(cell.format, row))}</table:table-row>"
        for row in (("Place", "Level"), ("Bonn", "3"))
    )
    first = (
        box("Why", "water", kind="title")
        + frame(f"<draw:text-box>{items}</draw:text-box>", "outline")
        + box("7", kind="page-number")
        + "<office:annotation><dc:creator>Ada</dc:creator><text:p>Is this so?</text:p></office:annotation>"
        + f"<presentation:notes>{box('Speak slowly.', kind='notes')}</presentation:notes>"
    )
    drawing = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'
    second = f"<draw:g>{frame(f'<table:table>{table}</table:table>')}{drawing}</draw:g>"
    pages = "".join(f"<draw:page>{page}</draw:page>" for page in (first, second))
    title = "<chart:title><text:p>Levels</text:p></chart:title>"
    chart = f"<chart:chart>{title}<table:table>{table}</table:table></chart:chart>"
    return make_odf(
        f"<office:presentation>{pages}</office:presentation>",
        **{"Object 1__content": chart},
        meta='<dc:title>Beehive</dc:title><meta:template xlink:title="Beehive"/>',
    )


def test_an_opendocument_presentation_has_the_same() -> None:
    # K1, K5
    parsed = parse_odp(make_odp())
    table = "| Place | Level |\n| --- | --- |\n| Bonn | 3 |\n\n"
    assert parsed.text == (
        "# Why water\n\n- Rain\n  - Light\n- Rivers\n\n## Notes\n\nSpeak slowly.\n\n## Comments\n\n- Is this so?\n\n"
        f"{table}Chart: Levels\n\n{table}"
    )
    assert [place for _, place in places_of(parsed)] == ["slide 1: Why water"] * 3 + ["slide 2"]
    assert parsed.title == "Why water"


def test_a_presentation_of_before_2007_has_its_slides_and_notes() -> None:
    # K1, K5
    content = make_ppt(
        [(0, "Why water"), (1, "Rain\rRivers\vand lakes"), (4, "*")],
        [(6, "Figures"), (4, "Łódź 3 m")],
        notes="Speak slowly.",
    )
    parsed = parse_ppt(content)
    assert parsed.text == (
        "# Why water\n\n- Rain\n- Rivers and lakes\n\n## Notes\n\nSpeak slowly.\n\n# Figures\n\nŁódź 3 m\n\n"
    )
    assert [place for _, place in places_of(parsed)] == ["slide 1: Why water"] * 2 + ["slide 2: Figures"]
    assert parsed.title == "Why water"


async def test_a_presentation_of_every_format_is_read_in_the_confined_child(pool: ParserPool) -> None:
    # K1
    for media_type, content in {PPTX: make_talk(), ODP: make_odp(), PPT: make_ppt([(0, "Why water")])}.items():
        parsed = await pool.parse(media_type, content)
        assert parsed.title == "Why water", media_type
