"""Which function reads which media type. A new format is one module and one line here."""

from collections.abc import Callable, Mapping
from functools import partial

from pinakes.domain.parsing import MediaType, ParsedDocument
from pinakes.providers.parsers.mail.eml import parse_eml, parse_mbox
from pinakes.providers.parsers.mail.outlook import parse_msg
from pinakes.providers.parsers.pdf.reader import parse_pdf
from pinakes.providers.parsers.sheets.csv_table import parse_csv, parse_tsv
from pinakes.providers.parsers.sheets.ods import parse_ods
from pinakes.providers.parsers.sheets.xls import parse_xls
from pinakes.providers.parsers.sheets.xlsx import parse_xlsx
from pinakes.providers.parsers.slides.odp import parse_odp
from pinakes.providers.parsers.slides.ppt import parse_ppt
from pinakes.providers.parsers.slides.pptx import parse_pptx
from pinakes.providers.parsers.text.code import parse_code
from pinakes.providers.parsers.text.json_text import parse_json, parse_jsonl
from pinakes.providers.parsers.text.languages import PLAIN, STRUCTURED
from pinakes.providers.parsers.text.markdown import parse_markdown
from pinakes.providers.parsers.text.markup import parse_org, parse_rst
from pinakes.providers.parsers.text.notebook import parse_notebook
from pinakes.providers.parsers.text.plain import parse_text
from pinakes.providers.parsers.web.epub import parse_epub
from pinakes.providers.parsers.web.html import parse_html
from pinakes.providers.parsers.web.xml import parse_xml
from pinakes.providers.parsers.word.doc import parse_doc
from pinakes.providers.parsers.word.docx import parse_docx
from pinakes.providers.parsers.word.hwp import parse_hwp
from pinakes.providers.parsers.word.odt import parse_odt
from pinakes.providers.parsers.word.rtf import parse_rtf
from pinakes.providers.sniffing import sniff

# A parser runs in a child, can rely on no file or import that was not loaded with its module, may be killed
# at any moment, and raises DocumentFault for a document that it cannot read.
Parser = Callable[[bytes], ParsedDocument]

_PARSERS: Mapping[MediaType, Parser] = {
    "text/plain": parse_text,
    "text/markdown": parse_markdown,
    "text/html": parse_html,
    "application/xml": parse_xml,
    "application/epub+zip": parse_epub,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": parse_docx,
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": parse_pptx,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": parse_xlsx,
    "application/vnd.oasis.opendocument.text": parse_odt,
    "application/vnd.oasis.opendocument.presentation": parse_odp,
    "application/vnd.oasis.opendocument.spreadsheet": parse_ods,
    "application/msword": parse_doc,
    "application/vnd.ms-powerpoint": parse_ppt,
    "application/vnd.ms-excel": parse_xls,
    "application/x-hwp": parse_hwp,
    "application/rtf": parse_rtf,
    "text/csv": parse_csv,
    "text/tab-separated-values": parse_tsv,
    "application/json": parse_json,
    "application/jsonl": parse_jsonl,
    "application/x-ipynb+json": parse_notebook,
    "text/x-rst": parse_rst,
    "text/x-org": parse_org,
    **{language: partial(parse_code, language=language) for language in STRUCTURED},
    **dict.fromkeys(PLAIN, parse_text),
}


def make_parsers(*, ocr_languages: str | None) -> Mapping[MediaType, Parser]:
    """The parser of every media type that can be sniffed."""
    parsers = dict(_PARSERS)

    def parse_part(name: str, content: bytes) -> ParsedDocument:
        return parsers[sniff(name, content)](content)

    parsers["application/pdf"] = partial(parse_pdf, ocr_languages=ocr_languages)
    parsers["message/rfc822"] = partial(parse_eml, parse_part=parse_part)
    parsers["application/mbox"] = partial(parse_mbox, parse_part=parse_part)
    parsers["application/vnd.ms-outlook"] = partial(parse_msg, parse_part=parse_part)
    return parsers
