"""How every answer looks: camelCase inside one envelope."""

from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from pinakes.domain.storable import BROKEN_TEXT, has_broken_text

T = TypeVar("T")


class ApiModel(BaseModel):
    """A JSON object of the API."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        from_attributes=True,
        # What is always in an answer is promised in the schema, so that clients can rely on `success`.
        json_schema_serialization_defaults_required=True,
    )


class RequestModel(ApiModel):
    """What a caller sends; a misspelt field is an error, not a surprise."""

    model_config = ConfigDict(extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_what_is_no_text(cls, value: object) -> object:
        """JSON can spell characters that no database holds; said here, the error names the field."""
        if has_broken_text(value):
            raise PydanticCustomError("broken_text", BROKEN_TEXT)
        return value


class Success(ApiModel, Generic[T]):
    """What was asked for."""

    success: Literal[True] = True
    data: T


class Failure(ApiModel):
    """Why it could not be done, for a person (`error`) and for a program (`errorCode`)."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    success: Literal[False]
    error: str
    error_code: str
    details: dict[str, Any] | None = None


class Page(ApiModel, Generic[T]):
    """A part of a longer list."""

    items: list[T]
    total: int = Field(description="How many there are in all.")
    limit: int
    offset: int


def succeed(data: T) -> Success[T]:
    """Wrap an answer."""
    return Success(data=data)
