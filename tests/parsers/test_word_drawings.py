"""Word documents: what charts, diagrams and large initials say stands where they stand."""

from word_files import make_docx, p

from pinakes.providers.parsers.word.docx import parse_docx

_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"


def drawing(element: str) -> str:
    """A paragraph in which a drawing is anchored."""
    return f"<w:p><w:r><w:drawing><graphicData>{element}</graphicData></w:drawing></w:r></w:p>"


def words(text: str) -> str:
    """Text as drawings hold it."""
    return f'<a:p xmlns:a="{_DRAWING}/main"><a:r><a:t>{text}</a:t></a:r></a:p>'


def points(kind: str, *values: str) -> str:
    """The categories or the values of a series."""
    listed = "".join(f'<c:pt idx="{number}"><c:v>{value}</c:v></c:pt>' for number, value in enumerate(values))
    return f"<c:{kind}>{listed}</c:{kind}>"


def test_a_chart_is_its_title_and_its_numbers() -> None:
    # K1
    series = f"<c:ser><c:tx><c:v>Ships</c:v></c:tx>{points('cat', 'May', 'June')}{points('val', '3', '5')}</c:ser>"
    title = f"<c:title>{words('Arrivals')}</c:title>"
    chart = f'<c:chart xmlns:c="{_DRAWING}/chart">{title}<c:plotArea>{series}</c:plotArea></c:chart>'
    body = p("Before.") + drawing(f'<c:chart xmlns:c="{_DRAWING}/chart" r:id="chart1"/>') + p("After.")
    assert parse_docx(make_docx(body, chart1=chart)).text == (
        "Before.\n\nChart: Arrivals\n\n|  | Ships |\n| --- | --- |\n| May | 3 |\n| June | 5 |\n\nAfter.\n\n"
    )


def test_a_diagram_is_its_points() -> None:
    # K1
    data = "".join(f"<pt><t>{words(text)}</t></pt>" for text in ("Plan", "", "Do"))
    body = p("Before.") + drawing(f'<d:relIds xmlns:d="{_DRAWING}/diagram" r:dm="diagramData1"/>') + p("After.")
    parsed = parse_docx(make_docx(body, diagramData1=data))
    assert parsed.text == "Before.\n\n- Plan\n- Do\n\nAfter.\n\n"


def test_a_large_initial_belongs_to_the_word_beside_it() -> None:
    # K1
    body = p("O", properties='<w:framePr w:dropCap="drop"/>') + p("nce upon a time.")
    assert parse_docx(make_docx(body)).text == "Once upon a time.\n\n"
