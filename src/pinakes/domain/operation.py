"""An operation: one background job that can be asked about."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class OperationStatus(StrEnum):
    """Where an operation stands."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    TERMINATED = "terminated"


class OperationKind(StrEnum):
    """What an operation does: index one version of a document, or switch a knowledge base to another generation."""

    INDEX = "index"
    SWITCH = "switch"


@dataclass(frozen=True, slots=True)
class Operation:
    """One background job; a switch belongs to no document, but to the embedder it leads to.

    `retried` where a later operation does the same again, `retryable` where none does and one may go better.
    """

    operation_id: str
    kind: OperationKind
    status: OperationStatus
    progress: int
    kb_id: str
    kb_name: str
    document_id: str | None
    document_name: str | None
    embedder: str | None
    error: str | None
    attempts: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    retried: bool
    retryable: bool
