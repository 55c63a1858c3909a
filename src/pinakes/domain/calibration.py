"""From raw parts to a score that means the same everywhere: how probable it is that a passage is relevant."""

import math
from dataclasses import asdict, dataclass, replace


@dataclass(frozen=True, slots=True)
class Scale:
    """Where an embedder's cosines lie.

    `matching` is the mean for questions and the passages that answer them, `other` for questions and passages on
    something else, `spread` the standard deviation of the latter.
    """

    matching: float
    other: float
    spread: float

    @property
    def separates(self) -> bool:
        """Whether what answers stands out clearly from passages on something else."""
        return self.matching - self.other >= _CLEARLY * self.divisor

    @property
    def divisor(self) -> float:
        """The spread, but never so small that noise would be taken for meaning."""
        return max(self.spread, _LEAST_SPREAD)

    def describe(self) -> str:
        """The three numbers in words."""
        return f"{self.matching:.2f} with what answers, {self.other:.2f} ± {self.spread:.2f} with other passages"


@dataclass(frozen=True, slots=True)
class Calibration:
    """Two logistics for one embedder: over cosine and keyword match together, and over keywords alone.

    The first is trusted as far as the embedder knows the question's words, the second for the rest. How much a
    cosine counts beside a keyword match (`dense` to `lexical`) decides the ranking.
    """

    bias: float
    dense: float
    lexical: float
    keyword_bias: float
    keyword: float

    @staticmethod
    def of(embedder: str, scale: Scale | None = None) -> "Calibration":
        """What ships for an embedder, or what follows from the scale it has for the probes."""
        shipped = _SHIPPED.get(embedder)
        if shipped is not None or scale is None:
            return shipped or _BUILT_IN
        return _BUILT_IN.adapted(scale, BUILT_IN_SCALE)

    def adapted(self, scale: Scale, reference: Scale) -> "Calibration":
        """The same for an embedder with this scale, where the embedder of this calibration has the other one.

        Passages on something else decide, not those that answer: a question meets thousands of them, and how far
        the best of them come up is what has to stay below a minimum score. An embedder that cannot tell what answers
        from them leaves the score to keywords, and orders only what these leave equal.
        """
        if not scale.separates:
            faint = _FAINTLY / scale.divisor
            bias = _KEYWORDS.keyword_bias - faint * scale.other
            return replace(self, bias=bias, dense=faint, lexical=_KEYWORDS.keyword)
        stretch = reference.spread / scale.divisor
        moved = self.bias + self.dense * (reference.other - stretch * scale.other)
        return replace(self, bias=moved, dense=self.dense * stretch)

    def evidence(self, dense: float | None, lexical: float, known: float) -> float:
        """The log-odds that a passage is relevant; `lexical` is its share of the best possible keyword score."""
        # A question of which the embedder knows half is still mostly understood.
        trust = 0.0 if dense is None else math.sqrt(known)
        bias = trust * self.bias + (1 - trust) * self.keyword_bias
        slope = trust * self.lexical + (1 - trust) * self.keyword
        return bias + slope * (lexical + trust * self.dense / self.lexical * (dense or 0.0))

    def needed_cosine(self, score: float) -> float | None:
        """From which cosine on a passage without a word of the question reaches a score; None where none does."""
        if self.dense <= 0:
            return None
        cosine = (math.log(score / (1 - score)) - self.bias) / self.dense
        return cosine if cosine <= 1 else None

    def to_json(self) -> dict[str, float]:
        """As it is stored with an index generation."""
        return asdict(self)


def logistic(x: float) -> float:
    """The probability of log-odds."""
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, x))))


# What the built-in model makes of the probes.
BUILT_IN_SCALE = Scale(matching=0.5573, other=0.0367, spread=0.0783)
# In standard deviations of other passages, of which good models have six and more.
_CLEARLY = 3.0
_LEAST_SPREAD = 0.005
_FAINTLY = 0.2

# Fitted by bench/calibration on sets of judged questions; docs/retrieval.md shows how well. That a cosine of 1
# counts 0.8 of a full keyword match is where the ranking of the same sets is best.
_BUILT_IN = Calibration(bias=-5.22, dense=9.22, lexical=11.53, keyword_bias=-2.2, keyword=22.99)
# With no embedder only the last two count; they were fitted on all languages.
_KEYWORDS = replace(_BUILT_IN, keyword_bias=-1.73, keyword=17.95)
_SHIPPED: dict[str, Calibration] = {"builtin:all-MiniLM-L6-v2": _BUILT_IN, "none": _KEYWORDS}
