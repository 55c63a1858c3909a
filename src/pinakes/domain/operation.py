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


@dataclass(frozen=True, slots=True)
class Operation:
    """Indexing one version of one document."""

    operation_id: str
    kind: str
    status: OperationStatus
    progress: int
    kb_id: str
    document_id: str
    document_name: str
    error: str | None
    attempts: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
