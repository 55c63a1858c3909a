"""Documents to measure with: new text of real words, in the order words follow each other in the sample."""

import random
from collections import defaultdict
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

_SUFFIXES = (".md", ".txt")
_SENTENCES_A_PARAGRAPH = (3, 7)
_PARAGRAPHS_A_SECTION = (2, 5)
_WORDS_A_HEADING = 4


class Writer:
    """Writes documents that nobody has written before; the same seed writes the same ones."""

    def __init__(self, seed: int, folder: Path | None = None) -> None:
        self._random = random.Random(seed)
        self._follows: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._starts: list[tuple[str, str]] = []
        for text in _read_texts(folder):
            words = [word for word in text.split() if any(letter.isalnum() for letter in word)]
            for first, second, third in zip(words, words[1:], words[2:], strict=False):
                self._follows[first, second].append(third)
                if first[0].isupper():
                    self._starts.append((first, second))
        self._words = sorted({word for pair in self._follows for word in pair})

    def write_document(self, characters: int) -> str:
        """Markdown with headings, about this long."""
        parts = [f"# {self.write_phrase(_WORDS_A_HEADING)}"]
        while sum(map(len, parts)) < characters:
            parts.append(f"## {self.write_phrase(_WORDS_A_HEADING)}")
            for _ in range(self._random.randint(*_PARAGRAPHS_A_SECTION)):
                sentences = self._random.randint(*_SENTENCES_A_PARAGRAPH)
                parts.append(" ".join(self._write_sentence() for _ in range(sentences)))
        return "\n\n".join(parts) + "\n"

    def write_phrase(self, words: int) -> str:
        """Some words as they may follow each other, such as a question has."""
        walk = self._walk()
        return " ".join(next(walk).strip(".,;:#*_") for _ in range(words))

    def _write_sentence(self) -> str:
        words: list[str] = []
        for word in self._walk():
            words.append(word)
            if word.endswith((".", "?", "!")) or len(words) > 40:
                break
        return " ".join(words).rstrip(".,;:") + "."

    def _walk(self) -> Iterator[str]:
        pair = self._random.choice(self._starts)
        yield from pair
        while True:
            # Now and then a word from elsewhere: else long stretches of the sample would come back word for word.
            following = self._follows.get(pair)
            stray = not following or self._random.random() < 0.2
            word = self._random.choice(self._words if stray or not following else following)
            yield word
            pair = (pair[1], word)


def _read_texts(folder: Path | None) -> list[str]:
    if folder is not None:
        return [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*")) if path.suffix in _SUFFIXES]
    sample = resources.files("pinakes") / "sample"
    files = sorted(sample.iterdir(), key=lambda file: file.name)
    return [file.read_text(encoding="utf-8") for file in files if file.name.endswith(_SUFFIXES)]
