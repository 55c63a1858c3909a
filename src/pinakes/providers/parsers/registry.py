"""Which function reads which media type. A new format is one module and one line here."""

from collections.abc import Callable, Mapping

from pinakes.domain.parsing import MediaType, ParsedDocument
from pinakes.providers.parsers.markdown import parse_markdown
from pinakes.providers.parsers.pdf import parse_pdf
from pinakes.providers.parsers.text import parse_text

# A parser runs in a child, can rely on no file or import that was not loaded with its module, may be killed
# at any moment, and raises DocumentFault for a document that it cannot read.
PARSERS: Mapping[MediaType, Callable[[bytes], ParsedDocument]] = {
    "text/plain": parse_text,
    "text/markdown": parse_markdown,
    "application/pdf": parse_pdf,
}
