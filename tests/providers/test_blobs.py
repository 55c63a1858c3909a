"""What every store of originals promises, in a folder and on a real S3 server."""

import asyncio
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.servers import HOST, SeaweedFS, free_ports, seaweedfs

from pinakes.domain.errors import InvalidInput, NotFound, ProviderFault
from pinakes.providers.blobs import BlobStore, local_blobs
from pinakes.providers.s3 import S3Place, parse_s3_place, s3_blobs

KEY = "ws_1a2b/kb_3c4d/ver_5e6f"


class BlobStoreContract:
    """Inherited by every kind of store."""

    async def test_an_object_comes_back_as_it_was_put(self, blobs: BlobStore) -> None:
        # K13
        for content in (b"", b"\x00\xff" * 7, os.urandom(20 * 1024 * 1024)):
            await blobs.put(KEY, content)
            assert await blobs.get(KEY) == content
            size, pieces = await blobs.stream(KEY)
            assert size == len(content)
            assert b"".join([piece async for piece in pieces]) == content

    async def test_a_large_object_is_streamed_in_pieces(self, blobs: BlobStore) -> None:
        # K13
        await blobs.put(KEY, bytes(8 * 1024 * 1024))
        _, pieces = await blobs.stream(KEY)
        assert len([piece async for piece in pieces]) > 1

    async def test_a_span_of_an_object_comes_alone(self, blobs: BlobStore) -> None:
        # K5, K13
        content = os.urandom(3 * 1024 * 1024)
        await blobs.put(KEY, content)
        for span in (range(1), range(1_000_000, 3_000_000), range(len(content) - 1, len(content))):
            size, pieces = await blobs.stream(KEY, span)
            assert size == len(content)
            assert b"".join([piece async for piece in pieces]) == content[span.start : span.stop]

    async def test_putting_again_replaces(self, blobs: BlobStore) -> None:
        # K13
        await blobs.put(KEY, b"a long first version")
        await blobs.put(KEY, b"second")
        assert await blobs.get(KEY) == b"second"
        assert await blobs.list_keys(KEY.rpartition("/")[0]) == [KEY]

    async def test_what_is_missing_is_not_found_and_deleting_it_is_fine(self, blobs: BlobStore) -> None:
        # K12, K13
        with pytest.raises(NotFound, match="not in the store"):
            await blobs.get("ws_none/kb/ver")
        with pytest.raises(NotFound, match="not in the store"):
            await blobs.stream("ws_none/kb/ver")
        await blobs.delete(["ws_none/kb/ver", "ws_none/kb/other"])
        await blobs.delete([])

    async def test_deleting_removes_what_is_named_and_nothing_else(self, blobs: BlobStore) -> None:
        # K12
        keys = [f"ws_d/kb/ver_{number}" for number in range(40)]
        await asyncio.gather(*(blobs.put(key, b"x") for key in keys))
        await blobs.delete([*keys[1:], "ws_d/kb/ver_missing"])
        assert await blobs.list_keys("ws_d") == keys[:1]
        with pytest.raises(NotFound):
            await blobs.get(keys[1])

    async def test_keys_keep_their_characters(self, blobs: BlobStore) -> None:
        # K13
        keys = ["ws_O-o.0~x/kb_9/ver_A", "ws_O-o.0~x/kb_9/ver_a b", "ws_O-o.0~x/kb_9/ver_é+=,@(1)"]
        for key in keys:
            await blobs.put(key, key.encode())
        assert set(await blobs.list_keys("ws_O-o.0~x")) == set(keys)
        assert [await blobs.get(key) for key in keys] == [key.encode() for key in keys]

    async def test_more_keys_than_one_page_are_all_listed(self, blobs: BlobStore) -> None:
        # K13
        keys = {f"ws_many/kb/ver_{number:04}" for number in range(1200)}
        ordered = sorted(keys)
        for at in range(0, len(ordered), 50):
            await asyncio.gather(*(blobs.put(key, b"x") for key in ordered[at : at + 50]))
        await blobs.put("ws_many2/kb/ver", b"x")
        assert set(await blobs.list_keys("ws_many")) == keys
        assert {"ws_many", "ws_many2"} <= set(await blobs.list_workspaces())
        await blobs.delete(ordered)
        assert await blobs.list_keys("ws_many") == []

    async def test_nobody_ever_sees_half_of_an_object(self, blobs: BlobStore) -> None:
        # K13
        versions = [bytes([number]) * 1_000_000 for number in range(8)]
        await blobs.put(KEY, versions[0])
        writing = asyncio.gather(*(blobs.put(KEY, version) for version in versions))
        seen = [await blobs.get(KEY) for _ in range(10)]
        await writing
        assert all(content in versions for content in [*seen, await blobs.get(KEY)])

    async def test_a_store_that_can_be_used_passes_its_check(self, blobs: BlobStore) -> None:
        # K13
        await blobs.check()
        assert await blobs.list_keys("no-such-workspace") == []


class TestFolder(BlobStoreContract):
    """Files in a folder of this machine."""

    @pytest.fixture
    def blobs(self, tmp_path: Path) -> BlobStore:
        return local_blobs(tmp_path / "with space" / "originals")

    async def test_only_the_owner_can_look_into_the_folder(self, tmp_path: Path) -> None:
        # C3
        local_blobs(tmp_path / "originals")
        assert stat.S_IMODE((tmp_path / "originals").stat().st_mode) == 0o700

    async def test_a_folder_that_is_gone_or_cannot_be_made_is_said_in_words(self, tmp_path: Path) -> None:
        # K13
        blobs = local_blobs(tmp_path / "originals")
        (tmp_path / "originals").rmdir()
        with pytest.raises(ProviderFault, match="PINAKES_ORIGINALS"):
            await blobs.check()
        (tmp_path / "file").write_text("in the way")
        with pytest.raises(InvalidInput, match="PINAKES_ORIGINALS"):
            local_blobs(tmp_path / "file" / "originals")


@pytest.fixture(scope="module")
def s3() -> Iterator[SeaweedFS]:
    """A real S3 server."""
    with seaweedfs() as server:
        yield server


def place_on(server: SeaweedFS, **changes: str) -> S3Place:
    fields = {
        "bucket": server.bucket,
        "prefix": "some/where",
        "endpoint": server.endpoint,
        "access_key": server.access_key,
        "secret_key": server.secret_key,
    }
    return S3Place(**(fields | changes))


class TestS3(BlobStoreContract):
    """Objects in a bucket."""

    @pytest.fixture
    def blobs(self, s3: SeaweedFS) -> BlobStore:
        return s3_blobs(place_on(s3))

    async def test_objects_lie_under_the_prefix(self, s3: SeaweedFS, blobs: BlobStore) -> None:
        # K13
        await blobs.put("ws_p/kb/ver", b"x")
        assert "some/where/ws_p/kb/ver" in s3.stored_keys()
        assert await s3_blobs(place_on(s3, prefix="else/where")).list_keys() == []

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            ({"secret_key": "guessed"}, "PINAKES_S3_SECRET_KEY"),
            ({"access_key": "nobody"}, "PINAKES_S3_ACCESS_KEY"),
            ({"bucket": "no-such-bucket"}, "bucket of PINAKES_ORIGINALS"),
            ({"endpoint": f"http://{HOST}:{free_ports(1)[0]}"}, "PINAKES_S3_ENDPOINT"),
        ],
    )
    async def test_what_is_wrong_is_named_by_its_setting_and_no_secret_is_told(
        self, s3: SeaweedFS, wrong: dict[str, str], named: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        # K13
        blobs = s3_blobs(place_on(s3, **wrong))
        for attempt in (blobs.check(), blobs.put(KEY, b"x"), blobs.get(KEY), blobs.delete([KEY]), blobs.list_keys()):
            with pytest.raises(ProviderFault, match=named) as fault:
                await attempt
            assert not any(secret in fault.value.message for secret in ("guessed", s3.secret_key, "Debug"))
        assert "guessed" not in caplog.text
        assert s3.secret_key not in caplog.text

    async def test_a_gateway_that_answers_404_to_everything_has_lost_no_original(self, s3: SeaweedFS) -> None:
        # K3, K13
        master = f"http://{HOST}:{s3.ports[2]}/nothing/here"
        blobs = s3_blobs(place_on(s3, endpoint=master))
        with pytest.raises(ProviderFault, match="PINAKES_S3_ENDPOINT"):
            await blobs.get(KEY)

    async def test_a_frozen_store_is_given_up_after_a_while(
        self, s3: SeaweedFS, blobs: BlobStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # K13
        monkeypatch.setattr("pinakes.providers.blobs.PATIENCE_SECONDS", 0.5)
        s3.freeze()
        try:
            begun = time.monotonic()
            with pytest.raises(ProviderFault, match="does not answer"):
                await blobs.put(KEY, b"x")
            assert time.monotonic() - begun < 5
        finally:
            s3.thaw()
        await blobs.put(KEY, b"x")

    async def test_a_killed_store_fails_at_once_and_serves_again_when_it_is_back(
        self, s3: SeaweedFS, blobs: BlobStore
    ) -> None:
        # K13
        await blobs.put(KEY, b"kept")
        s3.kill()
        begun = time.monotonic()
        with pytest.raises(ProviderFault, match="does not answer"):
            await blobs.put(KEY, b"lost")
        assert time.monotonic() - begun < 10
        s3.start()
        assert await blobs.get(KEY) == b"kept"


async def test_without_keys_the_usual_environment_has_the_credential(
    s3: SeaweedFS, monkeypatch: pytest.MonkeyPatch
) -> None:
    # K13
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", s3.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", s3.secret_key)
    await s3_blobs(S3Place(s3.bucket, endpoint=s3.endpoint)).check()
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "guessed")
    with pytest.raises(ProviderFault):
        await s3_blobs(S3Place(s3.bucket, endpoint=s3.endpoint)).check()
    monkeypatch.setenv("AWS_SESSION_TOKEN", "of somebody else")
    await s3_blobs(place_on(s3)).check()


@pytest.mark.parametrize(
    ("address", "fields", "named"),
    [
        ("s3://", {}, "PINAKES_ORIGINALS"),
        ("gs://bucket", {}, "PINAKES_ORIGINALS"),
        ("s3:///prefix", {}, "PINAKES_ORIGINALS"),
        ("s3://bucket", {"endpoint": "localhost:9000"}, "PINAKES_S3_ENDPOINT"),
        ("s3://bucket", {"access_key": "a"}, "PINAKES_S3_SECRET_KEY"),
        ("s3://bucket", {"secret_key": "hush"}, "PINAKES_S3_ACCESS_KEY"),
    ],
)
def test_an_address_that_cannot_be_right_is_refused(address: str, fields: dict[str, str], named: str) -> None:
    # K13
    given = {"endpoint": None, "region": None, "access_key": None, "secret_key": None} | fields
    with pytest.raises(InvalidInput, match=named) as refusal:
        parse_s3_place(address, **given)
    assert "hush" not in refusal.value.message


def test_an_address_names_a_bucket_and_a_prefix_and_shows_no_secret() -> None:
    # K13
    place = parse_s3_place("s3://bucket/a/b/", endpoint=None, region="eu-west-1", access_key="a", secret_key="hush")
    assert (place.bucket, place.prefix) == ("bucket", "a/b")
    assert "hush" not in repr(place)
