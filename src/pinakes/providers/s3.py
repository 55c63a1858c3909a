"""Originals in an S3-compatible store."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from pinakes.domain.errors import InvalidInput
from pinakes.providers.blobs import BlobStore, ObstoreBlobs

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig, S3Config, S3Credential

_SCHEME = "s3://"
_CODE = re.compile(r"<Code>(\w+)</Code>")
# Asking for it takes one request and needs the address, the bucket and the credential to be right.
_NO_SUCH_PREFIX = "no-such-workspace"
# Where credentials come from when none is configured and the machine is no cloud machine.
_INSTANCE_CREDENTIALS = ("169.254.169.254", "fd00:ec2::254", "169.254.170.2")
_CREDENTIAL_ADVICE = "Set PINAKES_S3_ACCESS_KEY and PINAKES_S3_SECRET_KEY."
_REASONS = {
    "SignatureDoesNotMatch": "It refuses the credential: PINAKES_S3_SECRET_KEY is wrong.",
    "InvalidAccessKeyId": "It refuses the credential: it does not know PINAKES_S3_ACCESS_KEY.",
    "AccessDenied": "It refuses the credential: PINAKES_S3_ACCESS_KEY may not read, write, list and delete in the "
    "bucket of PINAKES_ORIGINALS.",
    "NoSuchBucket": "The bucket of PINAKES_ORIGINALS does not exist there. Make it, or name another.",
    "InvalidBucketName": "The bucket of PINAKES_ORIGINALS has a name the store does not allow.",
    "AuthorizationHeaderMalformed": "The bucket is in another region: set PINAKES_S3_REGION.",
    "PermanentRedirect": "The bucket is in another region: set PINAKES_S3_REGION and PINAKES_S3_ENDPOINT.",
    "RequestTimeTooSkewed": "This machine's clock differs from the store's: set it right.",
    "ExpiredToken": "The credential has expired. Bring a new one.",
    "InvalidToken": "The credential's session token is wrong. Bring a new one.",
}


@dataclass(frozen=True, slots=True)
class S3Place:
    """A bucket, or a folder in one; without keys the usual AWS environment or instance has the credential."""

    bucket: str
    prefix: str = ""
    endpoint: str | None = None
    region: str | None = None
    access_key: str | None = None
    secret_key: str | None = field(default=None, repr=False)


def parse_s3_place(
    address: str, *, endpoint: str | None, region: str | None, access_key: str | None, secret_key: str | None
) -> S3Place:
    """The place an address `s3://bucket/prefix` names, or InvalidInput that names the setting that is wrong."""
    if not address.startswith(_SCHEME):
        raise InvalidInput("PINAKES_ORIGINALS is neither a folder nor an address that begins with s3://.")
    bucket, _, prefix = address.removeprefix(_SCHEME).partition("/")
    if not bucket:
        raise InvalidInput("PINAKES_ORIGINALS names no bucket. Write it as s3://bucket or s3://bucket/prefix.")
    if endpoint is not None and not _is_web_address(endpoint):
        raise InvalidInput("PINAKES_S3_ENDPOINT is no address. Give one such as https://s3.example.org.")
    if (access_key is None) != (secret_key is None):
        raise InvalidInput(
            "Only one of PINAKES_S3_ACCESS_KEY and PINAKES_S3_SECRET_KEY is set. Give both, or neither to use the "
            "machine's own AWS credential."
        )
    return S3Place(bucket, prefix.strip("/"), endpoint, region, access_key, secret_key)


def s3_blobs(place: S3Place) -> BlobStore:
    """A store in a bucket; nothing is asked of it yet."""
    config: S3Config = {}
    client: ClientConfig = {
        "connect_timeout": timedelta(seconds=3),
        # A person on a slow line may take this long over a download; who says nothing is given up much earlier.
        "timeout": timedelta(hours=1),
    }
    retries: RetryConfig = {
        "max_retries": 3,
        "retry_timeout": timedelta(seconds=5),
        "backoff": {"init_backoff": timedelta(seconds=0.1), "max_backoff": timedelta(seconds=1), "base": 2},
    }
    if place.region is not None:
        config["region"] = place.region
    if place.endpoint is not None:
        config["endpoint"] = place.endpoint.rstrip("/")
        client["allow_http"] = place.endpoint.startswith("http://")
    store = S3Store(
        place.bucket,
        prefix=place.prefix or None,
        config=config,
        client_options=client,
        retry_config=retries,
        credential_provider=_credential(place),
    )
    return _S3Blobs(store)


def _credential(place: S3Place) -> "Callable[[], S3Credential] | None":
    """Given keys as they are: the environment's session token does not belong to them."""
    access_key, secret_key = place.access_key, place.secret_key
    if access_key is None or secret_key is None:
        return None
    return lambda: {"access_key_id": access_key, "secret_access_key": secret_key, "expires_at": None}


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


class _S3Blobs(ObstoreBlobs):
    """Objects in a bucket; each is written by one request, so that none is ever there in part."""

    def is_missing(self, error: Exception) -> bool:
        """Only where the store itself says so: a gateway's 404 must not look like a lost original."""
        return super().is_missing(error) and _code_of(error) == "NoSuchKey"

    def reason_of(self, error: Exception) -> str:
        text, code = str(error), _code_of(error)
        if code is not None:
            return _REASONS.get(code, f"It says {code}; the log tells more.")
        if any(address in text for address in _INSTANCE_CREDENTIALS):
            return f"No credential for it was found on this machine. {_CREDENTIAL_ADVICE}"
        if "403 Forbidden" in text or "401 Unauthorized" in text:
            return f"It refuses the credential. {_CREDENTIAL_ADVICE}"
        if "status code" in text:
            return "What answers there is no S3 store, or one in trouble. Check PINAKES_S3_ENDPOINT."
        return "It does not answer. Is it running, and is PINAKES_S3_ENDPOINT right?"

    async def check(self) -> None:
        async with self.asking("be used"):
            listing = obstore.list(self._store, _NO_SUCH_PREFIX)  # pyright: ignore[reportUnknownMemberType]
            await anext(aiter(listing), None)


def _code_of(error: Exception) -> str | None:
    found = _CODE.search(str(error)) if isinstance(error, BaseError | OSError) else None
    return found[1] if found else None
