"""Which tokens of an issuer are accepted, and how often it is asked for its keys."""

import asyncio
import base64
from collections.abc import Iterator
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from pinakes.domain.errors import InvalidInput, ProviderFault, Unauthenticated
from pinakes.domain.identity import Scope
from pinakes.providers.access_tokens import OpenIdIssuer
from pinakes.providers.issuer_keys import FLOOR_SECONDS, IssuerKeys
from pinakes.settings import load_settings
from token_issuer import AUDIENCE, SigningKey, TokenIssuer, make_key, sign_by_hand, token_issuer

KEYS = "/keys"


class Clock:
    """Time that passes when told."""

    now = 1000.0

    def __call__(self) -> float:
        """What it is now."""
        return self.now


@pytest.fixture(scope="module")
def running() -> Iterator[TokenIssuer]:
    with token_issuer() as issuer:
        yield issuer


@pytest.fixture
def issuer(running: TokenIssuer) -> TokenIssuer:
    """The issuer as new."""
    running.keys, running.is_down, running.asked, running.configuration = [make_key("first")], False, [], {}
    return running


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def trusted(issuer: TokenIssuer, clock: Clock) -> OpenIdIssuer:
    """Our side of it."""
    return OpenIdIssuer(issuer.url, AUDIENCE, IssuerKeys(issuer.url, clock=clock))


async def refusal_of(trusted: OpenIdIssuer, token: str) -> str:
    """The words with which a token is refused."""
    with pytest.raises(Unauthenticated) as refused:
        await trusted.verify(token)
    return refused.value.message


@pytest.mark.parametrize("algorithm", ["RS256", "RS512", "PS256", "ES256", "ES384", "ES512", "EdDSA"])
async def test_every_asymmetric_algorithm_is_accepted(
    algorithm: str, issuer: TokenIssuer, trusted: OpenIdIssuer
) -> None:
    # F2
    issuer.keys = [make_key("other"), make_key("mine", algorithm)]
    said = await trusted.verify(issuer.token("ada", key=issuer.keys[1], name="Ada Lovelace"))
    assert (said.issuer, said.subject, said.name, said.scopes) == (issuer.url, "ada", "Ada Lovelace", None)


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"aud": "https://elsewhere.test"}, f"audience {AUDIENCE}"),
        ({"aud": []}, "no 'aud'"),
        ({"aud": f"{AUDIENCE}/"}, f"audience {AUDIENCE}"),
        ({"aud": None}, "no 'aud'"),
        ({"iss": "https://elsewhere.test"}, "does not come from"),
        ({"iss": None}, "no 'iss'"),
        ({"lives": -60}, "expired"),
        ({"exp": None}, "no 'exp'"),
        ({"exp": "soon"}, "damaged"),
        ({"nbf": 4102444800}, "not come yet"),
        ({"sub": None}, "no 'sub'"),
        ({"sub": ""}, "subject"),
        ({"sub": "a" * 256}, "subject"),
        ({"sub": "a\0b"}, "subject"),
        ({"sub": ["ada"]}, "damaged"),
        ({"headers": {"typ": "id+jwt"}}, "another kind"),
        ({"headers": {"typ": "logout+jwt"}}, "another kind"),
        ({"headers": {"typ": "JWT"}, "typ": "ID"}, "another kind"),
        ({"headers": {"typ": "JWT"}, "typ": "Refresh"}, "another kind"),
        ({"headers": {"typ": "JWT"}, "token_use": "id"}, "another kind"),
        ({"headers": {"typ": None}, "nonce": "n"}, "another kind"),
        ({"headers": {"typ": "JWT"}, "at_hash": "h"}, "another kind"),
        ({"headers": {"crit": ["exp2"], "exp2": 1}}, "damaged"),
    ],
)
async def test_a_token_that_is_not_for_us_or_no_access_token_is_refused(
    claims: dict[str, Any], words: str, issuer: TokenIssuer, trusted: OpenIdIssuer
) -> None:
    # F2
    assert words in await refusal_of(trusted, issuer.token(**claims))


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": ["https://elsewhere.test", AUDIENCE]},
        {"lives": -5},
        {"headers": {"typ": "JWT"}, "typ": "Bearer", "nonce": "n"},
        {"headers": {"typ": "JWT"}, "token_use": "access"},
        {"headers": {"typ": None}},
        {"headers": {"typ": "application/at+jwt"}, "nonce": "n"},
        {"headers": {"kid": None}},
    ],
)
async def test_what_issuers_do_differently_is_accepted(
    claims: dict[str, Any], issuer: TokenIssuer, trusted: OpenIdIssuer
) -> None:
    # F2: several audiences, clocks a little apart, Keycloak's and Cognito's marks, one key without a name
    assert (await trusted.verify(issuer.token(**claims))).subject == "ada"


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
async def test_a_token_is_signed_with_a_key_of_the_issuer_or_refused(
    issuer: TokenIssuer, trusted: OpenIdIssuer
) -> None:
    # F2
    key = make_key("first", "RS256")
    issuer.keys = [key]
    good = issuer.token()
    await trusted.verify(good)
    claims: dict[str, Any] = jwt.decode(good, options={"verify_signature": False})
    assert isinstance(key.private, rsa.RSAPrivateKey)
    shown = key.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    assert "HS256" in await refusal_of(trusted, sign_by_hand(claims, shown, kid="first"))
    head, body, _ = good.split(".")
    weak = SigningKey("first", "RS256", rsa.generate_private_key(65537, 1024))
    for forged in (
        sign_by_hand(claims, kid="first"),
        sign_by_hand(claims, shown, kid="first", alg="RS256"),
        issuer.token(key=make_key("first", "RS256")),
        issuer.token(key=make_key("first", "ES256")),
        f"{head}.{body}.",
        f"{head}.{body}.{'A' * 342}",
        f"{head}.{body[:-4]}AAAA.{good.split('.')[2]}",
    ):
        assert "not valid" in await refusal_of(trusted, forged)
    issuer.keys = [weak]
    short = OpenIdIssuer(issuer.url, AUDIENCE)
    assert "not valid" in await refusal_of(short, issuer.token())
    await short.close()


async def test_what_is_no_token_is_refused_without_asking_the_issuer(
    issuer: TokenIssuer, trusted: OpenIdIssuer
) -> None:
    # F2
    nested = base64.urlsafe_b64encode(b"[" * 9000).decode().rstrip("=")
    for junk in ("..", "a.b.c", "e30.e30.e30", f"{nested}.e30.e30", f"e30.{nested}.e30", "é.é.é", "a." * 9000 + "."):
        assert "not valid" in await refusal_of(trusted, junk)
    assert issuer.asked == []


@pytest.mark.parametrize(
    ("claims", "scopes"),
    [
        ({"scope": "openid profile"}, None),
        ({"scope": "openid pinakes:read"}, {Scope.READ}),
        ({"scp": ["pinakes:write", "pinakes:read", 7]}, {Scope.READ, Scope.WRITE}),
        ({"scp": "pinakes:admin", "scope": "pinakes:everything"}, {Scope.ADMIN}),
        ({"scope": 7}, None),
    ],
)
async def test_scopes_of_ours_are_read_where_they_stand(
    claims: dict[str, Any], scopes: set[Scope] | None, issuer: TokenIssuer, trusted: OpenIdIssuer
) -> None:
    # F2
    assert (await trusted.verify(issuer.token(**claims))).scopes == scopes


async def test_a_new_key_is_found_and_an_old_one_forgotten(
    issuer: TokenIssuer, trusted: OpenIdIssuer, clock: Clock
) -> None:
    # F2
    old = issuer.token()
    await trusted.verify(old)
    issuer.keys = [make_key("second")]
    clock.now += FLOOR_SECONDS
    await trusted.verify(issuer.token())
    assert "no such key" in await refusal_of(trusted, old)
    assert issuer.asked.count(KEYS) == 2
    # A key that is withdrawn without another token ever naming a new one goes too.
    issuer.keys = [make_key("third")]
    last = issuer.token()
    issuer.keys = []
    clock.now += 601
    assert "no such key" in await refusal_of(trusted, last)


async def test_unknown_keys_do_not_make_us_ask_again_and_again(
    issuer: TokenIssuer, trusted: OpenIdIssuer, clock: Clock
) -> None:
    # F2: whoever sends made-up tokens decides nothing
    for _ in range(3):
        await asyncio.gather(*(refusal_of(trusted, issuer.token(key=make_key(f"unknown {n}"))) for n in range(20)))
    assert issuer.asked.count(KEYS) == 1
    clock.now += FLOOR_SECONDS
    await asyncio.gather(*(refusal_of(trusted, issuer.token(key=make_key(f"unknown {n}"))) for n in range(20)))
    assert issuer.asked.count(KEYS) == 2
    # And those who come with a good one meanwhile do not wait.
    await trusted.verify(issuer.token())


async def test_an_issuer_that_is_away_is_left_alone_and_its_keys_serve_for_an_hour(
    issuer: TokenIssuer, trusted: OpenIdIssuer, clock: Clock
) -> None:
    # F2
    good = issuer.token()
    issuer.is_down = True
    for _ in range(5):
        with pytest.raises(ProviderFault, match=r"API keys and sessions go on"):
            await trusted.verify(good)
    assert len(issuer.asked) == 1
    issuer.is_down = False
    clock.now += FLOOR_SECONDS
    await trusted.verify(good)
    issuer.is_down = True
    clock.now += 3500
    await trusted.verify(good)
    with pytest.raises(ProviderFault):
        await trusted.verify(issuer.token(key=make_key("unknown")))
    clock.now += 101
    with pytest.raises(ProviderFault):
        await trusted.verify(good)


@pytest.mark.parametrize(
    ("configuration", "words"),
    [
        ({"issuer": "https://elsewhere.test"}, "Set PINAKES_OIDC_ISSUER"),
        ({"jwks_uri": "file:///etc/passwd"}, "trusted"),
        ({"jwks_uri": None}, "trusted"),
        ({"jwks_uri": "http://169.254.169.254/keys"}, "not a public address"),
        ({"padding": "x" * 600_000}, "more than"),
    ],
)
async def test_an_issuer_that_describes_itself_wrongly_is_not_trusted(
    configuration: dict[str, Any], words: str, issuer: TokenIssuer, trusted: OpenIdIssuer
) -> None:
    # F2
    issuer.configuration = configuration
    assert words in (await trusted.keys.check() or "")
    with pytest.raises(ProviderFault):
        await trusted.verify(issuer.token())


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"OIDC_AUDIENCE": ""}, "PINAKES_OIDC_AUDIENCE"),
        ({"OIDC_ISSUER": "http://sso.example"}, "PINAKES_OIDC_ISSUER"),
        ({"OIDC_ISSUER": "sso.example"}, "PINAKES_OIDC_ISSUER"),
        ({"OIDC_ROLE": "owner"}, "PINAKES_OIDC_ROLE"),
    ],
)
def test_an_issuer_is_configured_safely_or_not_at_all(
    changed: dict[str, str], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # F2: keys in the clear, tokens for anybody, and owners whom nobody chose
    good = {"OIDC_ISSUER": "https://sso.example/realms/company", "OIDC_AUDIENCE": AUDIENCE}
    for name, value in good.items():
        monkeypatch.setenv(f"PINAKES_{name}", value)
    assert load_settings().oidc_role == "viewer"
    for name, value in changed.items():
        monkeypatch.setenv(f"PINAKES_{name}", value)
    with pytest.raises(InvalidInput, match=f"{named}: "):
        load_settings()
