"""Search: by meaning and by keyword, filtered, merged and packed."""

import math
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from harness import Server, Workspace, data_of
from pinakes.domain.bm25 import AVERAGE_LENGTH, K1, B
from pinakes.providers.token_counting import count_tokens

ENGLISH = {
    "bread.txt": "Sourdough rises slowly because wild yeast is less active than the kind sold in packets.",
    "engine.txt": "If the motor refuses to start on a cold morning, check the battery and the spark plugs first.",
    "tax.txt": "Small firms may spread the payment of their value added tax over four instalments a year.",
    "orbit.txt": "A satellite in a geostationary orbit circles the Earth once a day above the equator.",
    "part.txt": "The replacement gasket carries the number XK-7731-QZ and ships in a box of ten.",
    "other-part.txt": "The replacement gasket carries the number XK-7732-QZ and ships in a box of ten.",
}
ASIAN = {
    "zh-library.txt": "国家图书馆收藏了三千万册图书，每天早上九点开门。",
    "zh-railway.txt": "高速铁路把北京和上海之间的旅行时间缩短到四个半小时。",
    "ja-tea.txt": "茶道では、抹茶を茶筅で点てて客に出します。",
    "ja-quake.txt": "地震のときは机の下に入り、揺れが収まるまで待ちます。",
    "ko-kimchi.txt": "김치는 배추를 소금에 절여 고춧가루와 함께 발효시킨 음식입니다.",
    "ko-palace.txt": "경복궁은 조선 시대에 세워진 가장 큰 궁궐입니다.",
    "th-river.txt": "แม่น้ำเจ้าพระยาไหลผ่านกรุงเทพมหานครลงสู่อ่าวไทย",
    "th-mango.txt": "ข้าวเหนียวมะม่วงเป็นขนมหวานที่นิยมในฤดูร้อน",
}


@pytest.fixture(scope="module")
def workspace(server: Server) -> Workspace:
    """One for all tests here that only read."""
    return server.new_workspace()


@pytest.fixture(scope="module")
def library(workspace: Workspace) -> str:
    """English, Chinese, Japanese, Korean and Thai documents in one knowledge base."""
    kb = workspace.make_kb("Library")
    ids = [data_of(workspace.upload(kb, name, text))["document"]["id"] for name, text in {**ENGLISH, **ASIAN}.items()]
    assert {workspace.settle(document_id)["status"] for document_id in ids} == {"indexed"}
    return kb


def names(hits: list[dict[str, Any]]) -> list[str]:
    return [hit["documentName"] for hit in hits]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("My car will not turn over in winter", "engine.txt"),
        ("Why does dough need so long to swell?", "bread.txt"),
        ("spacecraft that stays over the same place", "orbit.txt"),
    ],
)
def test_a_question_is_answered_by_meaning(workspace: Workspace, library: str, question: str, name: str) -> None:
    # K6
    assert names(workspace.search(question, knowledgeBaseIds=[library]))[0] == name


@pytest.mark.parametrize("identifier", ["XK-7731-QZ", "xk 7731", "7731"])
def test_an_odd_identifier_is_found_by_keyword(workspace: Workspace, library: str, identifier: str) -> None:
    # K6
    first, second, *_ = workspace.search(identifier, knowledgeBaseIds=[library])
    assert first["documentName"] == "part.txt"
    assert first["metadata"]["lexical"] > second["metadata"]["lexical"]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("图书馆", "zh-library.txt"),
        ("高速铁路需要多少时间", "zh-railway.txt"),
        ("抹茶", "ja-tea.txt"),
        ("地震のときはどうする", "ja-quake.txt"),
        ("배추 김치", "ko-kimchi.txt"),
        ("가장 큰 궁궐", "ko-palace.txt"),
        ("แม่น้ำเจ้าพระยา", "th-river.txt"),
        ("ข้าวเหนียวมะม่วง", "th-mango.txt"),
    ],
)
def test_asian_text_is_found_by_keyword_among_english_documents(
    workspace: Workspace, library: str, question: str, name: str
) -> None:
    # K9
    hits = workspace.search(question, knowledgeBaseIds=[library])
    assert names(hits)[0] == name
    assert hits[0]["similarity"] > hits[1]["similarity"]


def test_results_are_ranked_in_descending_similarity_with_their_raw_parts(workspace: Workspace, library: str) -> None:
    # K6, K8
    hits = workspace.search("battery of the motor", knowledgeBaseIds=[library], topK=20)
    assert [hit["rank"] for hit in hits] == list(range(1, len(hits) + 1))
    scores = [hit["similarity"] for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    for hit in hits:
        assert -1 <= hit["metadata"]["dense"] <= 1
        assert hit["metadata"]["lexical"] >= 0
    odds = [hit["metadata"]["fused"] for hit in hits]
    assert odds == sorted(odds, reverse=True)
    best = hits[0]
    assert best["documentName"] == "engine.txt"
    assert best["metadata"]["lexical"] > 0
    assert best["metadata"]["dense"] == max(hit["metadata"]["dense"] for hit in hits)
    assert (best["knowledgeBaseId"], best["knowledgeBaseName"]) == (library, "Library")
    assert (best["kind"], best["metadata"]["mediaType"]) == ("file", "text/plain")


@pytest.mark.parametrize("top_k", [1, 3, 20])
def test_at_most_top_k_results_come_back(workspace: Workspace, library: str, top_k: int) -> None:
    # K6
    hits = workspace.search("a box of ten", knowledgeBaseIds=[library], topK=top_k)
    assert len(hits) == min(top_k, len(ENGLISH) + len(ASIAN))
    assert len(workspace.search("a box of ten", knowledgeBaseIds=[library])) == 5


def test_a_minimum_score_leaves_out_exactly_what_is_below_it(workspace: Workspace, library: str) -> None:
    # K6, K8
    everything = workspace.search("replacement gasket", knowledgeBaseIds=[library], topK=20)
    middle = (everything[1]["similarity"] + everything[2]["similarity"]) / 2
    assert everything[1]["similarity"] > everything[2]["similarity"]
    some = workspace.search("replacement gasket", knowledgeBaseIds=[library], topK=20, minScore=middle)
    assert names(some) == names(everything)[:2]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How often does a geostationary satellite circle the Earth?", "orbit.txt"),
        ("What should I check if the motor does not start?", "engine.txt"),
        ("国家图书馆几点开门", "zh-library.txt"),
    ],
)
def test_the_default_of_the_tools_keeps_what_is_relevant(
    workspace: Workspace, library: str, question: str, name: str
) -> None:
    # K6, K8
    hits = workspace.search(question, knowledgeBaseIds=[library], minScore=0.7)
    assert names(hits)[0] == name


@pytest.mark.parametrize(
    "question",
    ["Who won the chess championship?", "recipe for lamb curry", "Wie wird das Wetter morgen?", "恐竜はなぜ絶滅"],
)
def test_the_default_of_the_tools_leaves_out_what_is_irrelevant(
    workspace: Workspace, library: str, question: str
) -> None:
    # K6, K8
    assert workspace.search(question, knowledgeBaseIds=[library], minScore=0.7) == []


@pytest.mark.parametrize("question", ["???", "🦉", "…"])
def test_a_question_without_a_word_is_answered_all_the_same(workspace: Workspace, library: str, question: str) -> None:
    # K6
    hits = workspace.search(question, knowledgeBaseIds=[library])
    assert all(hit["metadata"]["lexical"] == 0 for hit in hits)


def test_an_empty_knowledge_base_finds_nothing(server: Server) -> None:
    # K6
    empty = server.new_workspace()
    found = data_of(empty.client.post("/api/search", json={"query": "anything"}))
    assert (found["results"], found["resultCount"], found["totalTokens"], found["omittedCount"]) == ([], 0, 0, 0)


def test_several_knowledge_bases_are_merged_by_score_and_the_others_are_left_out(server: Server) -> None:
    # K6, K8
    workspace = server.new_workspace()
    kbs = {name: workspace.make_kb(name) for name in ("Sea", "Land", "Air")}
    workspace.add(kbs["Sea"], "whale.txt", "The blue whale is the largest animal in the sea.")
    workspace.add(kbs["Sea"], "salt.txt", "Sea water is salty.")
    workspace.add(kbs["Land"], "elephant.txt", "The elephant is the largest animal on land.")
    workspace.add(kbs["Air"], "stock.txt", "Share prices fell on Tuesday.")
    question = "What is the largest animal in the sea?"

    def found(*references: str) -> list[str]:
        hits = workspace.search(question, knowledgeBaseIds=list(references), topK=20)
        assert [hit["similarity"] for hit in hits] == sorted((hit["similarity"] for hit in hits), reverse=True)
        return names(hits)

    assert found(kbs["Sea"], kbs["Land"])[:2] == ["whale.txt", "elephant.txt"]
    # The best hit of a knowledge base that has no answer does not tie with the answer.
    assert found()[0] == "whale.txt"
    assert found()[-1] == "stock.txt"
    assert found(kbs["Air"]) == ["stock.txt"]
    # By id, slug or name, and once even if it is named twice.
    assert found(kbs["Sea"], "sea", "SEA") == found("Sea")
    assert sorted(found("Sea")) == ["salt.txt", "whale.txt"]


@pytest.mark.parametrize("name", ["It's {a, b}", 'Say "NULL" \\ now', "'); ROLLBACK; --", "NULL"])
def test_a_knowledge_base_may_have_any_name(server: Server, name: str) -> None:
    # K6
    workspace = server.new_workspace()
    workspace.add(workspace.make_kb(name), "bread.txt", ENGLISH["bread.txt"])
    assert names(workspace.search("wild yeast", knowledgeBaseIds=[name])) == ["bread.txt"]


def test_values_of_one_tag_are_alternatives_and_different_tags_must_all_match(server: Server) -> None:
    # K6, K7
    workspace = server.new_workspace()
    kb = workspace.make_kb()
    for name, tags in {
        "a.txt": ["team=east", "year=2023"],
        "b.txt": ["team=west", "year=2023"],
        "c.txt": ["team=east", "year=2024", "draft"],
        "d.txt": [],
    }.items():
        workspace.add(kb, name, "Minutes of the meeting.", tags=tags)

    def found(*filters: tuple[str, str]) -> list[str]:
        asked = [{"tagName": name, "tagValue": value} for name, value in filters]
        return sorted(names(workspace.search("minutes", tagFilters=asked, topK=20)))

    assert found() == ["a.txt", "b.txt", "c.txt", "d.txt"]
    assert found(("team", "east")) == ["a.txt", "c.txt"]
    assert found(("team", "east"), ("team", "west")) == ["a.txt", "b.txt", "c.txt"]
    assert found(("team", "east"), ("year", "2023")) == ["a.txt"]
    assert found(("team", "east"), ("team", "west"), ("year", "2023")) == ["a.txt", "b.txt"]
    assert found(("tag", "draft")) == ["c.txt"]
    assert found(("team", "north")) == []
    assert found(("nobody", "x")) == []
    hit = workspace.search("minutes", tagFilters=[{"tagName": "tag", "tagValue": "draft"}])[0]
    assert {"tagName": "team", "tagValue": "east"} in hit["metadata"]["tags"]


def test_kinds_and_dates_narrow_a_search(server: Server) -> None:
    # K6
    workspace = server.new_workspace()
    kb = workspace.make_kb()
    first = workspace.add(kb, "first.txt", "Minutes of the meeting.")
    second = workspace.add(kb, "second.txt", "Minutes of the meeting.")
    between = (datetime.fromisoformat(first["updatedAt"]) + timedelta(milliseconds=1)).isoformat()
    assert datetime.fromisoformat(second["updatedAt"]) > datetime.fromisoformat(between)

    def found(**filters: Any) -> list[str]:
        return sorted(names(workspace.search("minutes", **filters)))

    assert found(kinds=["file"]) == found(kinds=["note", "file"]) == ["first.txt", "second.txt"]
    assert found(kinds=["note", "memory"]) == []
    assert found(updatedFrom=between) == ["second.txt"]
    assert found(updatedTo=between) == ["first.txt"]
    assert found(updatedFrom=first["updatedAt"], updatedTo=second["updatedAt"]) == ["first.txt", "second.txt"]
    assert found(updatedFrom=(datetime.now(UTC) + timedelta(days=1)).isoformat()) == []
    assert found(updatedFrom=between, updatedTo=first["updatedAt"]) == []


METALS = {
    "a.txt": "copper tin copper zinc lead",
    "b.txt": "iron " * 30 + "copper",
    "c.txt": "gold silver tin",
    "d.txt": "nickel cobalt " * 12,
    "e.txt": "copper",
}


@pytest.mark.parametrize("question", ["copper", "tin copper", "gold nickel iron", "copper copper zinc", "lead argon"])
def test_the_lexical_score_is_that_of_a_reference_bm25(workspace: Workspace, metals: str, question: str) -> None:
    # K6
    documents = {name: text.split() for name, text in METALS.items()}

    def score(words: list[str]) -> float:
        total = 0.0
        for term, asked in Counter(question.split()).items():
            holding = sum(term in other for other in documents.values())
            idf = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
            often = words.count(term)
            length = 1 - B + B * len(words) / AVERAGE_LENGTH
            total += asked * idf * often * (K1 + 1) / (often + K1 * length)
        return total

    hits = workspace.search(question, knowledgeBaseIds=[metals], topK=20)
    assert len(hits) == len(METALS)
    for hit in hits:
        assert hit["metadata"]["lexical"] == pytest.approx(score(documents[hit["documentName"]]), abs=0.001)
    assert any(hit["metadata"]["lexical"] > 0 for hit in hits)


@pytest.fixture(scope="module")
def metals(workspace: Workspace) -> str:
    """Documents of words that no stemmer changes, one chunk each."""
    kb = workspace.make_kb("Metals")
    for name, text in METALS.items():
        assert workspace.add(kb, name, text)["chunkCount"] == 1
    # What was replaced and deleted must not count any more.
    workspace.add(kb, "gone.txt", "copper gold argon")
    gone = workspace.add(kb, "gone.txt", "tin lead argon", replace="true")
    data_of(workspace.client.delete(f"/api/documents/{gone['id']}"))
    return kb


@pytest.fixture(scope="module")
def archive(workspace: Workspace) -> str:
    """Long passages on one subject."""
    kb = workspace.make_kb("Archive")
    for n in range(6):
        text = " ".join(f"Ledger {n} records that ship {n}{line} carried {line * 7} casks." for line in range(12))
        assert workspace.add(kb, f"ledger-{n}.txt", text)["chunkCount"] == 1
    return kb


@pytest.mark.parametrize("budget", [1, 50, 101, 150, 333, 700, 1200, 4000])
def test_results_are_packed_into_the_budget_of_tokens(workspace: Workspace, archive: str, budget: int) -> None:
    # A9
    asked = {"query": "casks carried by ships", "knowledgeBaseIds": [archive], "topK": 6}
    everything = data_of(workspace.client.post("/api/search", json=asked | {"maxTokens": 100_000}))
    packed = data_of(workspace.client.post("/api/search", json=asked | {"maxTokens": budget}))
    results = packed["results"]
    assert packed["totalTokens"] == count_tokens("\n\n".join(hit["content"] for hit in results)) <= budget
    assert packed["resultCount"] == len(results)
    assert packed["omittedCount"] == 6 - len(results)
    whole = everything["results"][: len(results)]
    for hit, full in zip(results[:-1], whole[:-1], strict=True):
        assert hit == full
    if results and results[-1]["metadata"]["truncated"]:
        cut = results[-1]
        kept = cut["content"].removesuffix("...")
        assert cut["content"].endswith("...")
        assert full_text(whole[-1]).startswith(kept)
        assert cut["endOffset"] - cut["startOffset"] == len(kept)
        assert kept.endswith(".")
    left = budget - packed["totalTokens"]
    assert not packed["omittedCount"] or left < 100 or not results, "there was room for more"


def full_text(hit: dict[str, Any]) -> str:
    assert hit["metadata"]["truncated"] is False
    return hit["content"]


def test_the_cut_of_the_last_passage_is_seen(workspace: Workspace, archive: str) -> None:
    # A9
    packed = data_of(
        workspace.client.post(
            "/api/search",
            json={"query": "casks", "knowledgeBaseIds": [archive], "topK": 6, "maxTokens": 500},
        )
    )
    assert [hit["metadata"]["truncated"] for hit in packed["results"]][-1] is True
    assert packed["omittedCount"] > 0


def test_an_ordering_by_age_or_balance_puts_new_documents_first(server: Server) -> None:
    # A9
    workspace = server.new_workspace()
    kb = workspace.make_kb()
    workspace.add(kb, "exact.txt", "The ferry to the island sails at noon.")
    workspace.add(kb, "vague.txt", "Ships sail.")
    question = "When does the ferry to the island sail?"
    assert names(workspace.search(question)) == ["exact.txt", "vague.txt"]
    assert names(workspace.search(question, ordering="similarity")) == ["exact.txt", "vague.txt"]
    assert names(workspace.search(question, ordering="recency")) == ["vague.txt", "exact.txt"]
    # Seconds of a year weigh nothing against a better match.
    assert names(workspace.search(question, ordering="balanced")) == ["exact.txt", "vague.txt"]
