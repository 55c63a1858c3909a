"""Every setting, from the environment (`PINAKES_…`). Only the composition root and the interfaces read it."""

import os
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from pinakes.domain.errors import InvalidInput
from pinakes.domain.limits import Limits

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Settings(BaseSettings):
    """What can be configured; with nothing set everything runs on this machine alone."""

    model_config = SettingsConfigDict(env_prefix="PINAKES_", env_ignore_empty=True, extra="ignore")

    home: Path = Field(default=Path("~/.pinakes"), description="Data folder: database, originals, secret key.")
    cache: Path = Field(default=Path("~/.cache/pinakes"), description="Where the built embedding model is kept.")
    database_url: str | None = Field(default=None, description="Your own PostgreSQL, as the application's role.")
    migrate_url: str | None = Field(default=None, description="The same database, as the role that owns it.")
    originals: str | None = Field(
        default=None, description="Where originals are kept: another folder, or s3://bucket/prefix."
    )
    s3_endpoint: str | None = Field(default=None, description="Address of the S3-compatible store; unset: AWS.")
    s3_region: str | None = Field(default=None, description="Region of the bucket; unset: us-east-1.")
    s3_access_key: str | None = Field(default=None, description="Access key; unset: the machine's AWS credential.")
    s3_secret_key: SecretStr | None = Field(default=None, description="The secret that belongs to it.")
    redis_url: str | None = Field(
        default=None, description="A Redis or Valkey for the cache of query embeddings; unset: in process."
    )
    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8700, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    allowed_hosts: Annotated[list[str], NoDecode] = Field(
        default=[], description="Further host names the server answers to, separated by commas."
    )
    public_url: str | None = Field(
        default=None, description="The address people reach this server by, behind a proxy: https://pinakes.example."
    )
    secret_key: SecretStr | None = Field(
        default=None, description="64 hexadecimal digits, the same on every machine; unset: `secret.key`."
    )
    outbound_hosts: Annotated[list[str], NoDecode] = Field(
        default=[], description="Private hosts (`name` or `name:port`) that users may point to, separated by commas."
    )
    oidc_issuer: str | None = Field(
        default=None,
        description="An OpenID Connect issuer whose access tokens are accepted, as it spells itself.",
    )
    oidc_audience: str | None = Field(
        default=None, validate_default=True, description="The audience its tokens must be made for; needed with it."
    )
    oidc_workspace: str | None = Field(
        default=None, description="The workspace that people join who come with a good token and are not known yet."
    )
    oidc_role: Literal["viewer", "editor"] = Field(default="viewer", description="Their role in it.")
    url: str | None = Field(default=None, description="A server for the command line to talk to.")
    api_key: str | None = Field(default=None, description="The API key the command line uses with it.")
    workspace: str | None = Field(default=None, description="The workspace the command line works in.")
    worker_concurrency: int = Field(default=4, ge=1, le=64, description="Documents a worker indexes at a time.")
    worker_niceness: int = Field(
        default=10, ge=0, le=19, description="How far a worker steps back behind all others on its machine."
    )
    embed_threads: int = Field(default=0, ge=0, description="Texts embedded at a time; 0 means one a core.")
    parser_processes: int = Field(default=3, ge=1, description="Files parsed at a time.")
    parser_seconds: float = Field(default=120, gt=0, description="Longest time to parse one file.")
    parser_megabytes: int = Field(default=1024, ge=128, description="Most memory to parse one file.")
    ocr_languages: str | None = Field(
        default=None,
        pattern=r"^\w+(\+\w+)*$",
        description="Languages of scanned PDFs, as tesseract names them (`eng+deu`); unset: no OCR.",
    )
    database_connections: int = Field(default=10, ge=2, description="Connections a process may hold.")
    heartbeat_seconds: float = Field(default=3, gt=0, description="How often a worker shows that it lives.")
    max_file_bytes: int = Field(default=50 * 1024 * 1024, ge=1, description="Largest file.")
    max_knowledge_bases: int = Field(default=100, ge=1, description="Knowledge bases a user may make.")
    max_bundle_bytes: int = Field(default=10 * 1024**3, ge=1, description="Largest bundle to import.")
    max_note_characters: int = Field(default=100_000, ge=1, description="Characters a note may have.")
    max_tags: int = Field(default=20, ge=0, description="Tags a document may have.")
    activity_days: int = Field(default=90, ge=1, description="Days that calls of tools are kept.")
    log_level: Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(str.upper)] = Field(
        default="INFO", description="DEBUG, INFO, WARNING or ERROR."
    )

    @field_validator("allowed_hosts", "outbound_hosts", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value

    @field_validator("public_url")
    @classmethod
    def _check_address(cls, value: str | None) -> str | None:
        if value is not None and (urlsplit(value).scheme not in {"http", "https"} or not urlsplit(value).hostname):
            raise ValueError("give an address such as https://pinakes.example")
        return value and value.rstrip("/")

    @field_validator("oidc_issuer")
    @classmethod
    def _check_issuer(cls, value: str | None) -> str | None:
        parts = urlsplit(value or "https://none")
        # Whoever can change what is sent in the clear could give us keys of their own.
        secure = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
        if not secure or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("give an address such as https://sso.example/realms/company; http only on this machine")
        return value

    @field_validator("oidc_audience")
    @classmethod
    def _require_audience(cls, value: str | None, info: ValidationInfo) -> str | None:
        if info.data.get("oidc_issuer") and not value:
            raise ValueError("is needed with PINAKES_OIDC_ISSUER: tokens made for other services must not be good here")
        return value

    @property
    def home_folder(self) -> Path:
        """The data folder, absolute."""
        return self.home.expanduser().absolute()

    @property
    def cache_folder(self) -> Path:
        """The cache folder, absolute; `XDG_CACHE_HOME` counts unless the setting is given."""
        if "cache" not in self.model_fields_set and (base := os.environ.get("XDG_CACHE_HOME")):
            return Path(base).absolute() / "pinakes"
        return self.cache.expanduser().absolute()

    @property
    def originals_folder(self) -> Path | None:
        """Where originals are kept on this machine, absolute; None where they are elsewhere."""
        if self.originals is None:
            return self.home_folder / "originals"
        return None if "://" in self.originals else Path(self.originals).expanduser().absolute()

    @cached_property
    def limits(self) -> Limits:
        """The documented limits."""
        return Limits(
            file_bytes=self.max_file_bytes,
            knowledge_bases_per_user=self.max_knowledge_bases,
            tags_per_document=self.max_tags,
            note_characters=self.max_note_characters,
            bundle_bytes=self.max_bundle_bytes,
            activity_days=self.activity_days,
        )

    @property
    def hosts(self) -> frozenset[str]:
        """The names this server answers to: this machine's own and those configured."""
        public = {urlsplit(self.public_url).hostname or ""} if self.public_url else set[str]()
        return frozenset(name.lower() for name in _LOOPBACK | {self.host} | public | set(self.allowed_hosts))


def load_settings() -> Settings:
    """The settings, or InvalidInput that names the variable that is wrong."""
    try:
        return Settings()
    except ValidationError as error:
        problems = "; ".join(
            f"PINAKES_{'_'.join(str(part) for part in problem['loc']).upper()}: {problem['msg']}"
            for problem in error.errors()
        )
        raise InvalidInput(f"The configuration is not valid. {problems}") from error
