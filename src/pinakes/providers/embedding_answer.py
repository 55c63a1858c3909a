"""Reads what an embedding endpoint answered; nothing of it is believed before it was checked."""

import base64
import binascii
import json
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pinakes.providers.endpoint import OddAnswer


def read_vectors(body: bytes, count: int, dims: int | None) -> list[NDArray[np.float32]]:
    """As many vectors as texts were sent, in their order, each of length 1."""
    vectors = [_unit_vector(entry) for entry in _ordered(body, count)]
    wanted = dims or len(vectors[0])
    for vector in vectors:
        if len(vector) != wanted:
            raise OddAnswer(f"answers with {len(vector)} dimensions instead of {wanted}. Check which model it serves.")
    return vectors


def _ordered(body: bytes, count: int) -> list[Any]:
    try:
        data = json.loads(body)["data"]
        indexes = [entry.get("index") for entry in data]
        embeddings = [entry["embedding"] for entry in data]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise OddAnswer("does not answer as an embedding endpoint does. Check its base URL.") from error
    if len(embeddings) != count:
        raise OddAnswer(f"answers with {len(embeddings)} vectors for {count} texts.")
    if all(index is None for index in indexes):
        return embeddings
    if any(type(index) is not int for index in indexes) or sorted(indexes) != list(range(count)):
        raise OddAnswer("does not say which vector belongs to which text.")
    return [embeddings[indexes.index(at)] for at in range(count)]


def _unit_vector(embedding: object) -> NDArray[np.float32]:
    try:
        if isinstance(embedding, str):
            values = np.frombuffer(base64.b64decode(embedding, validate=True), "<f4").astype(np.float64)
        elif isinstance(embedding, list) and all(type(x) in (int, float) for x in cast("list[object]", embedding)):
            values = np.array(embedding, np.float64)
        else:
            raise OddAnswer("answers with something that is no vector.")
    except (ValueError, OverflowError, binascii.Error) as error:
        raise OddAnswer("answers with something that is no vector.") from error
    length = float(np.linalg.norm(values)) if len(values) else 0.0
    if not np.isfinite(length) or length == 0:
        raise OddAnswer("answers with a vector that points nowhere.")
    return (values / length).astype(np.float32)
