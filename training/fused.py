"""An int8 BERT as the exporter writes it -> the same weights in few nodes; and back to floats.

The exporter spells each layer out in some eighty nodes. On texts of twenty words these cost more than the products among them, so
the weights are put into one node for an attention and one for a product, and named as torch names them.

    python -m training.fused FOLDER...
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HEADS = 12
LOWER = 8
"""Layers of the cross-encoder whose states the reader of excerpts goes on from."""
_EPSILON = 1e-12
_OURS = "com.microsoft"
_PARTS = ("query", "key", "value")
_LAYER = re.compile(r"encoder\.layer\.(\d+)\.")
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_EMBEDDED = ("word", "token_type", "position")


class _Graph:
    """Nodes and weights of the graph that is being made."""

    def __init__(self, weights: dict[str, NDArray[Any]]) -> None:
        self.weights = weights
        self.used: dict[str, NDArray[Any]] = {}
        self.nodes: list[Any] = []

    def use(self, name: str, value: NDArray[Any] | None = None) -> str:
        """The name of a weight, or of a constant of our own, once it is known to be needed."""
        self.used[name] = self.weights[name] if value is None else value
        return name

    def add(self, kind: str, inputs: list[str], *outputs: str, domain: str = "", **attributes: Any) -> str:
        """A node; gives the name of its first output."""
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, list(outputs), domain=domain, **attributes))
        return outputs[0]

    def product(self, of: str, name: str, output: str) -> str:
        """``of`` times the weight of a dense layer, and its bias."""
        weight, scale = self.use(f"{name}.weight_quantized"), self.use(f"{name}.weight_scale")
        return self.add("DynamicQuantizeMatMul", [of, weight, scale, "", self.use(f"{name}.bias")], output, domain=_OURS)

    def normed(self, of: str, name: str, output: str) -> str:
        """``of`` after a layer norm."""
        weights = [self.use(f"{name}.weight"), self.use(f"{name}.bias")]
        return self.add("LayerNormalization", [of, *weights], output, epsilon=_EPSILON)

    def embedded(self, base: str) -> str:
        """The states that the first layer takes."""
        self.add("Shape", ["input_ids"], "length", start=1, end=2)
        self.add("Squeeze", ["length"], "tokens")
        first, one = self.use("zero", np.array(0, np.int64)), self.use("one", np.array(1, np.int64))
        self.add("Range", [first, "tokens", one], "position_ids")
        ids = dict(zip(_EMBEDDED, ("input_ids", "token_type_ids", "position_ids"), strict=True))
        for kind, of in ids.items():
            table = f"{base}embeddings.{kind}_embeddings.weight"
            self.add("Gather", [self.use(f"{table}_quantized"), of], f"{kind}_rows")
            scale, zero = self.use(f"{table}_scale"), self.use(f"{table}_zero_point")
            self.add("DequantizeLinear", [f"{kind}_rows", scale, zero], f"{kind}_states")
        self.add("Add", ["word_states", "token_type_states"], "typed")
        self.add("Add", ["typed", "position_states"], "placed")
        axis = self.use("axis", np.array([1], np.int64))
        self.add("ReduceSum", ["attention_mask", axis], "long_lengths", keepdims=0)
        self.add("Cast", ["long_lengths"], "lengths", to=6)
        return self.normed("placed", f"{base}embeddings.LayerNorm", "states_0")

    def layer(self, states: str, name: str, at: int) -> str:
        """The states behind a layer."""
        self.add("DynamicQuantizeLinear", [states], f"rounded_{at}", f"scale_{at}", f"zero_{at}")
        whole = f"{name}attention.self.qkv"
        held = [self.use(f"{whole}.{one}") for one in ("weight_quantized", "bias", "weight_scale", "weight_zero_point")]
        inputs = [f"rounded_{at}", held[0], held[1], f"scale_{at}", held[2], "lengths", f"zero_{at}", held[3]]
        seen = self.add("QAttention", inputs, f"seen_{at}", domain=_OURS, num_heads=HEADS)
        mixed = self.product(seen, f"{name}attention.output.dense", f"mixed_{at}")
        self.add("Add", [mixed, states], f"first_sum_{at}")
        inner = self.normed(f"first_sum_{at}", f"{name}attention.output.LayerNorm", f"inner_{at}")
        wide = self.product(inner, f"{name}intermediate.dense", f"wide_{at}")
        self.add("Gelu", [wide], f"bent_{at}", domain=_OURS)
        narrow = self.product(f"bent_{at}", f"{name}output.dense", f"narrow_{at}")
        self.add("Add", [narrow, inner], f"second_sum_{at}")
        return self.normed(f"second_sum_{at}", f"{name}output.LayerNorm", f"states_{at + 1}")


def fuse(file: Path) -> None:
    """Rewrite ``file``, int8 ONNX of a BERT with ``last_hidden_state`` or ``logits``, in its fused form."""
    import onnx
    from onnx import TensorProto, helper

    held = onnx.load(str(file)).graph
    output = held.output[0].name
    graph = _Graph(_named(held))
    layers = 1 + max(int(found[1]) for name in graph.weights if (found := _LAYER.search(name)))
    base = "bert." if any(name.startswith("bert.") for name in graph.weights) else ""
    states = graph.embedded(base)
    for at in range(layers):
        states = graph.layer(states, f"{base}encoder.layer.{at}.", at)
    if output == "logits":
        graph.add("Gather", [states, "zero"], "first", axis=1)
        graph.add("Tanh", [graph.product("first", f"{base}pooler.dense", "pooled")], "bent")
        graph.product("bent", "classifier", output)
        shape: list[str | int] = ["texts", 1]
    else:
        graph.add("Identity", [states], output)
        shape = ["texts", "tokens", len(graph.weights[f"{base}embeddings.LayerNorm.bias"])]
    outputs = {output: shape}
    if output == "logits":
        outputs[f"states_{LOWER}"] = ["texts", "tokens", len(graph.weights[f"{base}embeddings.LayerNorm.bias"])]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in _INPUTS]
    _save(graph, inputs, outputs, file)


def upper_layers(weights: Mapping[str, NDArray[np.float32]], file: Path) -> None:
    """Write the layers that go on from the ``LOWER`` ones, in eight bits: from the states of one text to its last ones,
    [1, tokens, width]. ``weights``: floats as torch has them, "encoder.encoder.layer.8…".
    """
    from onnx import TensorProto, helper

    layers = sorted({int(found[1]) for name in weights if (found := _LAYER.search(name)) and int(found[1]) >= LOWER})
    own = {name.removeprefix("encoder."): value for name, value in weights.items()}
    upper = {name: value for name, value in own.items() if (found := _LAYER.search(name)) and int(found[1]) >= LOWER}
    graph = _Graph(_rounded(upper))
    width = len(own[f"encoder.layer.{layers[0]}.output.LayerNorm.bias"])
    graph.add("Shape", ["states"], "length", start=1, end=2)
    graph.add("Cast", ["length"], "lengths", to=TensorProto.INT32)
    states = "states"
    for at in layers:
        states = graph.layer(states, f"encoder.layer.{at}.", at)
    shape: list[str | int] = [1, "tokens", width]
    _save(graph, [helper.make_tensor_value_info("states", TensorProto.FLOAT, shape)], {states: shape}, file)


def _rounded(weights: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[Any]]:
    """Dense layers in eight bits, each column with a scale of its own, those of an attention side by side."""
    held: dict[str, NDArray[Any]] = {}
    for name, value in weights.items():
        if value.ndim == 1:
            held[name] = value
            continue
        scale = np.abs(value).max(axis=1) / np.float32(127)
        held |= {f"{name}_quantized": np.round(value / scale[:, None]).astype(np.int8).T, f"{name}_scale": scale}
        held[f"{name}_zero_point"] = np.zeros(len(scale), np.int8)
    return _side_by_side(held)


def _save(graph: _Graph, inputs: list[Any], outputs: Mapping[str, list[str | int]], file: Path) -> None:
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    made = helper.make_graph(
        graph.nodes,
        "bert",
        inputs,
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()],
        [numpy_helper.from_array(value, name) for name, value in graph.used.items()],
    )
    operators = [helper.make_opsetid("", 17), helper.make_opsetid(_OURS, 1)]
    onnx.save(helper.make_model(made, opset_imports=operators, ir_version=8), str(file))


def _named(graph: Any) -> dict[str, NDArray[Any]]:
    """The weights of an exporter's graph by the names that torch has for them; those of an attention side by side."""
    from onnx import numpy_helper

    held = {one.name.removeprefix("model."): numpy_helper.to_array(one) for one in graph.initializer}
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            whose = node.name.removeprefix("/").removeprefix("model/")
            name = whose.replace("/MatMul_quant", "").replace("/Gemm_MatMul_quant", "").replace("/", ".")
            weight = node.input[1].removeprefix("model.").removesuffix("_quantized")
            for end in ("quantized", "scale", "zero_point"):
                held[f"{name}.weight_{end}"] = held[f"{weight}_{end}"]
            if held[f"{name}.weight_zero_point"].any():
                raise ValueError(f"{name} is not rounded symmetrically")
    return _side_by_side(held)


def _side_by_side(held: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """``held`` with the three weights of each attention as one, too."""
    for first in [name for name in held if name.endswith("self.query.weight_quantized")]:
        base = first.removesuffix("query.weight_quantized")
        for end in ("weight_quantized", "weight_scale", "weight_zero_point", "bias"):
            held[f"{base}qkv.{end}"] = np.concatenate([held[f"{base}{part}.{end}"] for part in _PARTS], axis=-1)
    return held


def floats(file: Path) -> dict[str, NDArray[np.float32]]:
    """The weights of a fused file as torch has them."""
    import onnx
    from onnx import numpy_helper

    held = {one.name: numpy_helper.to_array(one) for one in onnx.load(str(file)).graph.initializer}
    found = {name: value for name, value in held.items() if name.endswith((".bias", "LayerNorm.weight"))}
    for name in [name.removesuffix("_quantized") for name in held if name.endswith("_quantized")]:
        zero = held.get(f"{name}_zero_point", np.zeros(1, np.int8)).astype(np.float32)
        whole = (held[f"{name}_quantized"].astype(np.float32) - zero) * held[f"{name}_scale"]
        found[name] = whole if ".embeddings." in f".{name}" else whole.T
    for name in [name for name in found if ".self.qkv." in name]:
        parts = np.split(found.pop(name), len(_PARTS))
        found |= {name.replace("qkv", part): value for part, value in zip(_PARTS, parts, strict=True)}
    return found


def main() -> None:
    """Fuse the weights of folders."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folders", type=Path, nargs="+")
    for folder in arguments.parse_args().folders:
        fuse(folder / "model.onnx")


if __name__ == "__main__":
    main()
