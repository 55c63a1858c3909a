"""Token counts as the models' own tokenizer (o200k) gives them, from a vocabulary inside the package."""

from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Protocol, cast


class _Tokenizer(Protocol):
    def count(self, text: str) -> int: ...


def count_tokens(text: str) -> int:
    """How many tokens a model reads in this text; names of special tokens count as ordinary text."""
    return _tokenizer().count(text.encode("utf-8", "replace").decode())


@cache
def _tokenizer() -> _Tokenizer:
    # Importing the package reads three vocabularies into Python: half a second and 130 MB for every process. The
    # compiled module inside it has them already, so that alone is loaded.
    package = find_spec("bpe_openai")
    spec = PathFinder.find_spec("bpe_openai._bindings", package and package.submodule_search_locations)
    assert spec
    assert spec.loader
    bindings = module_from_spec(spec)
    spec.loader.exec_module(bindings)
    return cast("_Tokenizer", bindings.tokenizer_for_encoding("o200k_base"))
