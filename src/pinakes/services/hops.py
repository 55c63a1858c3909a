"""The second hop: passages about what the first ones name, which may share no word with the question."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pinakes.domain.bm25 import AskedTerm, name_term
from pinakes.domain.calibration import logistic
from pinakes.domain.fusion import Scored, best_first, fuse_all
from pinakes.domain.knowledge_base import KbIndex
from pinakes.domain.names import find_names, name_key
from pinakes.domain.search import Filters, Hit
from pinakes.store import search
from pinakes.store.database import Connection
from pinakes.store.search import Question

# How many passages are read for names, and how many passages so named are looked at.
_SEEDS = 3
_NAMED = 50
# How much of a passage's evidence goes over to one that it names.
_PASSED_ON = 0.4


async def follow_names(
    connection: Connection,
    workspace_id: str,
    indexes: Sequence[KbIndex],
    question: Question,
    known: Mapping[str, float],
    filters: Filters,
    ranked: Sequence[Scored],
) -> list[Scored]:
    """The ranking, with passages that stand under a name from one of the first lifted by what speaks for that one."""
    seeds = list(ranked[:_SEEDS])
    read = {hit.chunk_id: hit for hit in await search.load_hits(connection, workspace_id, {}, seeds)}
    names = {seed.candidate.chunk_id: _names_in(read.get(seed.candidate.chunk_id)) for seed in seeds}
    asked = [AskedTerm(name_term(name), 1, 0) for name in sorted(set[str]().union(*names.values()))]
    if not asked:
        return list(ranked)
    found = await search.find_candidates(connection, workspace_id, indexes, Question(asked, {}), filters, _NAMED)
    scored = fuse_all(await search.score_candidates(connection, workspace_id, indexes, question, found), indexes, known)
    headings = {hit.chunk_id: hit.headings for hit in await search.load_hits(connection, workspace_id, {}, scored)}
    best = {entry.candidate.chunk_id: entry for entry in ranked}
    floors = {index.index_id: index.calibration.evidence(0.0, 0.0, known.get(index.embedder, 0.0)) for index in indexes}
    for seed in seeds:
        passed_on = _PASSED_ON * max(0.0, seed.fused - floors[seed.candidate.index_id])
        for entry in scored:
            chunk_id = entry.candidate.chunk_id
            keys = set(map(name_key, headings.get(chunk_id, ())))
            lifted = entry.fused + passed_on
            if chunk_id == seed.candidate.chunk_id or not keys & names[seed.candidate.chunk_id]:
                continue
            if chunk_id not in best or best[chunk_id].fused < lifted:
                best[chunk_id] = replace(entry, fused=lifted, similarity=logistic(lifted), via=seed.candidate.chunk_id)
    return best_first(best.values())


def _names_in(hit: Hit | None) -> frozenset[str]:
    """What a passage names, but for what it is about itself."""
    return frozenset() if hit is None else find_names(hit.content) - set(map(name_key, hit.headings))
