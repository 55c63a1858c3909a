"""Access tokens of an OpenID Connect issuer: signed by it, made for us, still good, and no other kind of token."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import jwt

from pinakes.domain.errors import Unauthenticated
from pinakes.domain.identity import TOKEN_SCOPES, AccessToken, Scope
from pinakes.providers.issuer_keys import IssuerKeys, Jwk

Claims = Mapping[str, Any]
# Signed with a key that only the issuer has: with a shared one, whoever can check tokens can make them.
_KEY_TYPES = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "EC"),
    "EdDSA": "OKP",
}
_LEEWAY_SECONDS = 30
_LONGEST_TOKEN = 16_384
_LONGEST_SUBJECT = 255
_TOKEN_TYPES = frozenset({"", "jwt", "at+jwt", "application/at+jwt"})
# Keycloak and Cognito write into a token what it is.
_ACCESS_MARKS = frozenset({"bearer", "dpop", "access"})
_OTHER_MARKS = frozenset({"id", "refresh", "offline", "logout"})
# What ID and logout tokens have and access tokens have not.
_FOREIGN_CLAIMS = frozenset({"nonce", "at_hash", "c_hash", "s_hash", "events"})


class OpenIdIssuer:
    """One issuer, and the audience that its tokens must be for."""

    def __init__(self, issuer: str, audience: str, keys: IssuerKeys | None = None) -> None:
        self._issuer = issuer
        self._audience = audience
        self.keys = keys or IssuerKeys(issuer)

    async def verify(self, token: str) -> AccessToken:
        """What a token says, or Unauthenticated with what is wrong with it."""
        if len(token) > _LONGEST_TOKEN or not token.isascii():
            raise _refusal("it is too long, or not one at all")
        try:
            header = jwt.get_unverified_header(token)
            algorithm = _read_algorithm(header)
            key = _choose(await self.keys.current(), header, algorithm)
            if key is None:
                key = _choose(await self.keys.renewed(), header, algorithm)
            if key is None:
                raise _refusal("the issuer has no such key")
            return self._read(header, self._decode(token, jwt.PyJWK(dict(key), algorithm)))
        except jwt.ExpiredSignatureError as error:
            raise Unauthenticated("The access token has expired. Get a new one.") from error
        except jwt.InvalidAudienceError as error:
            raise _refusal(f"it is not made for us. Ask the issuer for the audience {self._audience}") from error
        except jwt.InvalidIssuerError as error:
            raise _refusal(f"it does not come from {self._issuer}") from error
        except jwt.MissingRequiredClaimError as error:
            raise _refusal(f"it has no '{error.claim}'") from error
        except jwt.ImmatureSignatureError as error:
            raise _refusal("its time has not come yet. Check the clocks") from error
        # Not all that stands in a token, or in an issuer's keys, is of the type that it should be.
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            raise _refusal("it is damaged, or not signed by the issuer") from error

    def _decode(self, token: str, key: jwt.PyJWK) -> Claims:
        return jwt.decode(
            token,
            key,
            algorithms=list(_KEY_TYPES),
            audience=self._audience,
            issuer=self._issuer,
            leeway=_LEEWAY_SECONDS,
            options={"require": ["exp", "iss", "aud", "sub"], "enforce_minimum_key_length": True},
        )

    def _read(self, header: Claims, claims: Claims) -> AccessToken:
        if _is_of_another_kind(header, claims):
            raise _refusal("it is another kind of token, an ID token for instance. Send the access token")
        subject = claims["sub"]
        if not subject or len(subject) > _LONGEST_SUBJECT or not subject.isprintable():
            raise _refusal("its subject cannot be used")
        names = (claims.get("name"), claims.get("preferred_username"))
        name = next((name for name in names if isinstance(name, str)), None)
        return AccessToken(self._issuer, subject, name, _scopes(claims))

    async def close(self) -> None:
        """Give back the connections."""
        await self.keys.close()


def _read_algorithm(header: Claims) -> str:
    algorithm = header.get("alg")
    if not isinstance(algorithm, str) or algorithm not in _KEY_TYPES:
        raise _refusal(f"it is signed with {algorithm!r}. These are accepted: {', '.join(_KEY_TYPES)}")
    return algorithm


def _choose(keys: Sequence[Jwk], header: Claims, algorithm: str) -> Jwk | None:
    """The key that a token names; one that names none is signed with the only one that fits."""
    fitting = [
        key
        for key in keys
        if key.get("kty") == _KEY_TYPES[algorithm]
        and key.get("use", "sig") == "sig"
        and "verify" in key.get("key_ops", ["verify"])
        and key.get("alg", algorithm) == algorithm
    ]
    if (name := header.get("kid")) is not None:
        return next((key for key in fitting if key.get("kid") == name), None)
    return fitting[0] if len(fitting) == 1 else None


def _is_of_another_kind(header: Claims, claims: Claims) -> bool:
    """Whether a token is told apart from an access token, by its header or by how the big issuers mark theirs."""
    kind = str(header.get("typ", "")).lower()
    if kind not in _TOKEN_TYPES:
        return True
    if kind.endswith("at+jwt"):
        return False
    marked = str(claims.get("typ", claims.get("token_use", ""))).lower()
    if marked in _ACCESS_MARKS:
        return False
    return marked in _OTHER_MARKS or not _FOREIGN_CLAIMS.isdisjoint(claims)


def _scopes(claims: Claims) -> frozenset[Scope] | None:
    named: list[object] = []
    for claim in (claims.get("scope"), claims.get("scp")):
        if isinstance(claim, str):
            named += claim.split()
        elif isinstance(claim, list):
            named += cast("list[object]", claim)
    return frozenset(scope for name, scope in TOKEN_SCOPES.items() if name in named) or None


def _refusal(reason: str) -> Unauthenticated:
    return Unauthenticated(f"The access token is not valid: {reason}.")
