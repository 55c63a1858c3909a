"""Results that say the same, and results that differ when asked to."""

from datetime import UTC, datetime

from pinakes.domain.document import DocumentKind
from pinakes.domain.search import Hit
from pinakes.domain.variety import choose_hits

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TIDES = "The tide comes in twice a day, and every spring tide is higher than the neap tide before it."
OWLS = "Owls hunt at night by hearing alone, and their flight makes no sound that a mouse could hear."


def hit(name: str, content: str, similarity: float) -> Hit:
    return Hit(
        chunk_id=name,
        chunk_index=0,
        content=content,
        preface="",
        document_id=name,
        document_name=name,
        document_title=None,
        kind=DocumentKind.FILE,
        tags={},
        kb_id="kb",
        kb_name="KB",
        place=None,
        inside=None,
        headings=("Nature",),
        start_offset=0,
        end_offset=len(content),
        start_line=1,
        end_line=1,
        media_type="text/plain",
        created_at=NOW,
        updated_at=NOW,
        similarity=similarity,
        dense=None,
        lexical=0.0,
        fused=0.0,
    )


def test_of_passages_that_say_the_same_the_best_tells_where_the_others_stand() -> None:
    # K6
    hits = [hit("a.txt", TIDES, 0.9), hit("b.txt", f"{TIDES} (2024)", 0.8), hit("c.txt", OWLS, 0.7)]
    first, second = choose_hits(hits, 2)
    assert (first.document_name, second.document_name) == ("a.txt", "c.txt")
    assert first.also_in == ("b.txt (section Nature)",)
    assert second.also_in == ()


def test_passages_that_only_share_words_stay() -> None:
    # K6
    hits = [hit("a", TIDES, 0.9), hit("b", "A neap tide is lower. The moon makes each spring tide.", 0.8)]
    assert len(choose_hits(hits, 5)) == 2


def test_a_line_or_two_may_stand_in_many_places() -> None:
    hits = [hit("a", "Yes.", 0.9), hit("b", "yes", 0.8), hit("c", "…", 0.6), hit("d", "Minutes of the meeting.", 0.5)]
    assert [chosen.chunk_id for chosen in choose_hits([*hits, hit("e", hits[-1].content, 0.4)], 5)] == list("abcde")


def test_diversity_prefers_what_is_new_and_keeps_the_order_of_scores() -> None:
    # K6
    near = TIDES + " That is because of the moon, which pulls at the water of all seas and lakes alike."
    hits = [hit("a", TIDES, 0.9), hit("b", near, 0.85), hit("c", OWLS, 0.6)]
    assert [chosen.chunk_id for chosen in choose_hits(hits, 2)] == ["a", "b"]
    assert [chosen.chunk_id for chosen in choose_hits(hits, 2, diversity=0.5)] == ["a", "c"]
    assert [chosen.chunk_id for chosen in choose_hits(hits[::-1], 3, diversity=0.5)] == ["c", "b", "a"]
