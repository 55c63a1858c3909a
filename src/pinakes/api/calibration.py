"""Calibration of a knowledge base's scores over REST."""

from fastapi import APIRouter
from pydantic import Field

from pinakes.api.access import Caller, ResourcesDep
from pinakes.api.envelope import ApiModel, Success, succeed
from pinakes.api.paths import KnowledgeBaseId
from pinakes.domain.calibration import Calibration
from pinakes.services import calibration

_SCORE = 0.7
router = APIRouter(prefix="/api/knowledge-bases/{knowledgeBaseId}/calibration", tags=["Knowledge bases"])


class CalibrationOut(ApiModel):
    """The numbers of the two logistics, and what they come to."""

    bias: float
    dense: float = Field(description="How much a cosine counts.")
    lexical: float = Field(description="How much a keyword match counts beside it.")
    keyword_bias: float
    keyword: float = Field(description="How much a keyword match counts for words that the embedder does not know.")
    needed_cosine: float | None = Field(
        description="From which cosine on a passage without a word of the question scores 0.7; null: keywords decide."
    )


class RecalibrationOut(ApiModel):
    """What a refresh changed."""

    before: CalibrationOut
    after: CalibrationOut
    passages: int = Field(description="How many of the knowledge base's own passages it rests on.")
    explanation: str


@router.post("")
async def refresh_calibration(
    knowledge_base_id: KnowledgeBaseId, resources: ResourcesDep, caller: Caller
) -> Success[RecalibrationOut]:
    """Measure the embedder's scale on the knowledge base's own passages, and score by it from now on."""
    done = await calibration.refresh_calibration(resources, caller, knowledge_base_id)
    return succeed(
        RecalibrationOut(
            before=_out(done.before), after=_out(done.after), passages=done.passages, explanation=done.explanation
        )
    )


def _out(found: Calibration) -> CalibrationOut:
    return CalibrationOut(**found.to_json(), needed_cosine=found.needed_cosine(_SCORE))
