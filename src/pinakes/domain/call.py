"""A call of a tool, as it is kept: who called what and how it went, nothing of what was said."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class CallResult(StrEnum):
    """How a call went: done, told what to mend, not allowed, or broken by a fault of ours."""

    SUCCESS = "success"
    ERROR = "error"
    REFUSED = "refused"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Call:
    """One call; `agent_name` is what the agent calls itself, the key is what it is known by."""

    call_id: str
    tool: str
    interface: str
    agent_name: str | None
    user_id: str
    user_name: str | None
    key_id: str | None
    key_name: str | None
    topic_digest: str | None
    result: CallResult
    error_code: str | None
    milliseconds: float
    called_at: datetime
