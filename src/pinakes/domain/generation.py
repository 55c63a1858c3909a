"""A generation as people see it: which embedding model a knowledge base answers, answered or will answer with."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class GenerationState(StrEnum):
    """What a generation is for: answering, about to, kept to go back to, or left half-built by a failure."""

    ACTIVE = "active"
    BUILDING = "building"
    KEPT = "kept"
    UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True)
class Generation:
    """One index of a knowledge base; `operation_id` is the switch that leads to it while there is one."""

    index_id: str
    embedder: str
    dims: int | None
    state: GenerationState
    chunk_count: int
    operation_id: str | None
    created_at: datetime
