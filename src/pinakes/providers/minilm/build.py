"""Builds the ONNX graph of all-MiniLM-L6-v2 from its published weights and makes it int8."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import (  # pyright: ignore[reportMissingTypeStubs]
    QuantType,
    quantize_dynamic,  # pyright: ignore[reportUnknownVariableType]
)
from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType]

LAYERS = 6
HEADS = 12
DIMS = 384
OPSET = 20
INPUT = "ids"
OUTPUT = "vector"

Weights = Mapping[str, NDArray[np.float32]]


def build_model(weights: Path, folder: Path) -> Path:
    """Write the int8 model into `folder` and return its path; the same weights give the same bytes."""
    full = folder / "full.onnx"
    write_graph(weights, full)
    small = folder / "model.onnx"
    quantise_graph(full, small)
    full.unlink()
    return small


def write_graph(weights: Path, target: Path) -> None:
    """Write the fp32 graph: the token ids of one text in, its unit vector out."""
    target.write_bytes(_build_graph(load_file(weights)).SerializeToString(deterministic=True))


def quantise_graph(full: Path, target: Path) -> None:
    """Write the graph with int8 weights, a scale for each channel: one for the whole tensor loses quality."""
    # On processors without VNNI the full range can saturate 16-bit sums: 3 of 100,000 pairs of products in a
    # simulation. A reduced range rules that out but costs accuracy, unsigned weights twice the time.
    quantize_dynamic(full, target, per_channel=True, weight_type=QuantType.QInt8)


class _Graph:
    """Nodes and constants of a graph under construction; every `op` returns the name of its result."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def op(self, kind: str, name: str, *inputs: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=f"{name}/{kind}", **attributes))
        return name

    def dense(self, name: str, source: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        product = self.op("MatMul", f"{name}.product", source, self.constant(f"{name}.weight", weight.T))
        return self.op("Add", name, product, self.constant(f"{name}.bias", bias))

    def norm(self, name: str, source: str, weights: Weights, prefix: str) -> str:
        scale = self.constant(f"{name}.scale", weights[f"{prefix}.weight"])
        bias = self.constant(f"{name}.bias", weights[f"{prefix}.bias"])
        return self.op("LayerNormalization", name, source, scale, bias, epsilon=1e-12)


def _build_graph(weights: Weights) -> onnx.ModelProto:
    graph = _Graph()
    state = _add_embeddings(graph, weights)
    for layer in range(LAYERS):
        state = _add_layer(graph, weights, layer, state)
    # Pooling belongs inside: one text a call has no padding, so that the mean needs no mask,
    # and whoever runs the file gets the finished vector.
    mean = graph.op("ReduceMean", "mean", state, graph.constant("rows", np.array([0], np.int64)), keepdims=0)
    graph.op("LpNormalization", OUTPUT, mean, axis=0, p=2)
    proto = helper.make_graph(
        graph.nodes,
        "all-MiniLM-L6-v2",
        [helper.make_tensor_value_info(INPUT, TensorProto.INT64, ["tokens"])],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, [DIMS])],
        graph.constants,
    )
    model = helper.make_model(proto, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="pinakes")
    model.ir_version = 9  # readable by every onnxruntime we allow
    # The quantiser's preprocessing has nothing to fuse here; without this mark it warns that it was skipped.
    helper.set_model_props(model, {"onnx.quant.pre_process": "onnxruntime.quant"})
    onnx.checker.check_model(model, full_check=True)  # pyright: ignore[reportUnknownMemberType]
    return model


def _add_embeddings(graph: _Graph, weights: Weights) -> str:
    table = graph.constant("words.table", weights["embeddings.word_embeddings.weight"])
    words = graph.op("Gather", "words", table, INPUT)
    # A single text is all of token type 0, so that row is part of every position.
    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    zero = graph.constant("zero", np.array([0], np.int64))
    length = graph.op("Shape", "length", INPUT)
    positions = graph.op("Slice", "positions", graph.constant("positions.table", places), zero, length, zero)
    return graph.norm("embedded", graph.op("Add", "summed", words, positions), weights, "embeddings.LayerNorm")


def _add_layer(graph: _Graph, weights: Weights, layer: int, state: str) -> str:
    source, name = f"encoder.layer.{layer}", f"layer{layer}"
    attended = _add_attention(graph, weights, layer, state)
    mixed = graph.norm(
        f"{name}.mixed",
        graph.op("Add", f"{name}.mixed.sum", attended, state),
        weights,
        f"{source}.attention.output.LayerNorm",
    )
    wide = graph.dense(
        f"{name}.wide",
        mixed,
        weights[f"{source}.intermediate.dense.weight"],
        weights[f"{source}.intermediate.dense.bias"],
    )
    narrow = graph.dense(
        f"{name}.narrow",
        graph.op("Gelu", f"{name}.gelu", wide),
        weights[f"{source}.output.dense.weight"],
        weights[f"{source}.output.dense.bias"],
    )
    total = graph.op("Add", f"{name}.sum", narrow, mixed)
    return graph.norm(name, total, weights, f"{source}.output.LayerNorm")


def _add_attention(graph: _Graph, weights: Weights, layer: int, state: str) -> str:
    source, name = f"encoder.layer.{layer}.attention", f"layer{layer}.attention"
    scale = np.float32((DIMS // HEADS) ** -0.25)

    def heads(part: str, order: list[int], factor: np.float32) -> str:
        flat = graph.dense(
            f"{name}.{part}",
            state,
            weights[f"{source}.self.{part}.weight"] * factor,
            weights[f"{source}.self.{part}.bias"] * factor,
        )
        shape = graph.constant(f"{name}.{part}.shape", np.array([-1, HEADS, DIMS // HEADS], np.int64))
        split = graph.op("Reshape", f"{name}.{part}.split", flat, shape)
        return graph.op("Transpose", f"{name}.{part}.heads", split, perm=order)

    query = heads("query", [1, 0, 2], scale)
    key = heads("key", [1, 2, 0], scale)
    value = heads("value", [1, 0, 2], np.float32(1))
    shares = graph.op("Softmax", f"{name}.shares", graph.op("MatMul", f"{name}.fit", query, key), axis=-1)
    gathered = graph.op("Transpose", f"{name}.rows", graph.op("MatMul", f"{name}.read", shares, value), perm=[1, 0, 2])
    joined = graph.op(
        "Reshape", f"{name}.joined", gathered, graph.constant(f"{name}.shape", np.array([-1, DIMS], np.int64))
    )
    return graph.dense(
        f"{name}.out",
        joined,
        weights[f"{source}.output.dense.weight"],
        weights[f"{source}.output.dense.bias"],
    )


if __name__ == "__main__":
    build_model(Path(sys.argv[1]), Path(sys.argv[2]))
