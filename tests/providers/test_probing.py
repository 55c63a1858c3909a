"""Probes: an embedder's scale, found out without judged questions."""

import os
from collections.abc import AsyncGenerator
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from pinakes.domain.calibration import BUILT_IN_SCALE
from pinakes.domain.probes import PROBES
from pinakes.providers.embedding import Embedder
from pinakes.providers.minilm import install
from pinakes.providers.minilm.embedder import load_minilm
from pinakes.providers.probing import cut_to_fit, probe, scale_of


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def model() -> AsyncGenerator[Embedder]:
    """The built-in model in the user's own cache, installed at first use."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pinakes"
    folder = install.model_folder(cache)
    await install.install_model(folder, lambda _stage, _fraction: None)
    embedder = load_minilm(folder, threads=1)
    yield embedder
    await embedder.close()


async def test_the_scale_that_ships_is_the_one_of_the_built_in_model(model: Embedder) -> None:
    # K8
    found = await probe(model)
    assert found.dims == model.dims
    assert found.scale.matching == pytest.approx(BUILT_IN_SCALE.matching, abs=0.01)
    assert found.scale.other == pytest.approx(BUILT_IN_SCALE.other, abs=0.01)
    assert found.scale.spread == pytest.approx(BUILT_IN_SCALE.spread, abs=0.005)
    assert found.scale.separates


def test_a_scale_is_the_diagonal_against_the_rest() -> None:
    # K8
    scale = scale_of(np.array([[0.9, 0.1, 0.3], [0.2, 0.7, 0.2], [0.1, 0.3, 0.8]]))
    assert scale.matching == pytest.approx(0.8)
    assert scale.other == pytest.approx(0.2)
    assert scale.spread == pytest.approx(np.std([0.1, 0.3, 0.2, 0.2, 0.1, 0.3]))


def test_all_probes_go_into_one_call_and_each_is_cut_for_a_small_model(model: Embedder) -> None:
    # K8: many endpoints take no more than 32 texts at a time.
    assert 2 * len(PROBES) <= 32
    longest = max((p.passage for p in PROBES), key=len) * 8
    cut = cut_to_fit(model, longest)
    assert longest.startswith(cut)
    assert model.count_tokens(cut) <= model.max_tokens - 2
    assert cut_to_fit(model, PROBES[0].question) == PROBES[0].question
