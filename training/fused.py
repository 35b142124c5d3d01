"""An int8 BERT as the exporter writes it -> the same weights in few nodes; and back to floats. Upper layers, in four bits.

The exporter spells each layer out in some eighty nodes. On texts of twenty words these cost more than the products among them, so
the weights are put into one node for an attention and one for a product, and named as torch names them.

    python -m training.fused FOLDER...
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

HEADS = 12
LOWER = 4
"""Layers of the cross-encoder whose states the reader of excerpts goes on from."""
BLOCK = 128
"""Weights of one output that share a scale where they stand in four bits."""
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

    def dense(self, name: str) -> str:
        """A weight in eight bits, [inputs, outputs]. One that stands in four is unpacked by nodes that rest on nothing but it, so
        that it is done once, when the file is loaded.
        """
        from onnx import TensorProto

        if f"{name}_packed" not in self.weights:
            return self.use(f"{name}_quantized")
        packed, share = self.use(f"{name}_packed"), self.use(f"{name}_share")
        sixteen, four = self.use("sixteen", np.array(16, np.uint8)), self.use("four", np.array(4, np.uint8))
        halves = [self.add("Mod", [packed, sixteen], f"{name}_lower")]
        halves.append(self.add("BitShift", [packed, four], f"{name}_upper", direction="RIGHT"))
        self.add("Concat", halves, f"{name}_halves", axis=1)
        self.add("Cast", [f"{name}_halves"], f"{name}_whole", to=TensorProto.FLOAT)
        self.add("Sub", [f"{name}_whole", self.use("eight", np.array(8, np.float32))], f"{name}_signed")
        self.add("Cast", [share], f"{name}_shares", to=TensorProto.FLOAT)
        self.add("Mul", [f"{name}_signed", f"{name}_shares"], f"{name}_scaled")
        self.add("Round", [f"{name}_scaled"], f"{name}_round")
        self.add("Cast", [f"{name}_round"], f"{name}_bytes", to=TensorProto.INT8)
        shape = self.use(f"{name}_shape", np.array([-1, self.weights[f"{name}_packed"].shape[-1]], np.int64))
        return self.add("Reshape", [f"{name}_bytes", shape], f"{name}_quantized")

    def product(self, of: str, name: str, output: str) -> str:
        """``of`` times the weight of a dense layer, and its bias."""
        weight, scale = self.dense(f"{name}.weight"), self.use(f"{name}.weight_scale")
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
        bias, scale, zero = (self.use(f"{whole}.{one}") for one in ("bias", "weight_scale", "weight_zero_point"))
        inputs = [f"rounded_{at}", self.dense(f"{whole}.weight"), bias, f"scale_{at}", scale, "lengths", f"zero_{at}", zero]
        seen = self.add("QAttention", inputs, f"seen_{at}", domain=_OURS, num_heads=HEADS)
        mixed = self.product(seen, f"{name}attention.output.dense", f"mixed_{at}")
        self.add("Add", [mixed, states], f"first_sum_{at}")
        inner = self.normed(f"first_sum_{at}", f"{name}attention.output.LayerNorm", f"inner_{at}")
        wide = self.product(inner, f"{name}intermediate.dense", f"wide_{at}")
        self.add("Gelu", [wide], f"bent_{at}", domain=_OURS)
        narrow = self.product(f"bent_{at}", f"{name}output.dense", f"narrow_{at}")
        self.add("Add", [narrow, inner], f"second_sum_{at}")
        return self.normed(f"second_sum_{at}", f"{name}output.LayerNorm", f"states_{at + 1}")


def fuse(file: Path, layers: Mapping[str, NDArray[np.float32]] | None = None) -> None:
    """Rewrite ``file``, int8 ONNX of a BERT with ``last_hidden_state`` or ``logits``, in its fused form; with the weights of its
    ``layers``, floats as torch has them, these stand in four bits.
    """
    import onnx
    from onnx import TensorProto, helper

    held = onnx.load(str(file)).graph
    output = held.output[0].name
    graph = _Graph(_named(held) | _packed(layers or {}))
    count = 1 + max(int(found[1]) for name in graph.weights if (found := _LAYER.search(name)))
    base = "bert." if any(name.startswith("bert.") for name in graph.weights) else ""
    states = graph.embedded(base)
    for at in range(count):
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
    """Write the layers that go on from the ``LOWER`` ones, in four bits: from the states of one text to its last ones,
    [1, tokens, width]. ``weights``: floats as torch has them, "encoder.encoder.layer.4…".
    """
    from onnx import TensorProto, helper

    layers = sorted({int(found[1]) for name in weights if (found := _LAYER.search(name)) and int(found[1]) >= LOWER})
    own = {name.removeprefix("encoder."): value for name, value in weights.items()}
    upper = {name: value for name, value in own.items() if (found := _LAYER.search(name)) and int(found[1]) >= LOWER}
    graph = _Graph(_packed(upper))
    width = len(own[f"encoder.layer.{layers[0]}.output.LayerNorm.bias"])
    states = taken = f"states_{LOWER}"
    graph.add("Shape", [taken], "length", start=1, end=2)
    graph.add("Cast", ["length"], "lengths", to=TensorProto.INT32)
    for at in layers:
        states = graph.layer(states, f"encoder.layer.{at}.", at)
    shape: list[str | int] = [1, "tokens", width]
    _save(graph, [helper.make_tensor_value_info(taken, TensorProto.FLOAT, shape)], {states: shape}, file)


def four_bits(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Whole numbers from -8 to 7, [outputs, blocks, ``BLOCK``], and the scale of each block, [outputs, blocks, 1], for a weight
    [outputs, inputs]. The weight of a block that is farthest from zero is -8 of its scale, which may be below zero.
    """
    blocks = weight.reshape(len(weight), -1, BLOCK)
    farthest = blocks.gather(-1, blocks.abs().argmax(-1, keepdim=True))
    scales = farthest / -8 + (farthest == 0)
    return (blocks / scales).round().clamp(-8, 7), scales


def _packed(weights: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[Any]]:
    """Dense layers in four bits, two weights in a byte, those of an attention side by side. For each: "packed" [blocks,
    ``BLOCK`` / 2, outputs], the first half of a block in the lower bits; "share" [blocks, 1, outputs], what one of four bits is
    in eight; "scale" [outputs], what one of eight bits is.
    """
    import torch

    held: dict[str, NDArray[Any]] = {}
    for name, value in weights.items():
        if value.ndim == 1:
            held[name] = value
            continue
        whole, scales = (part.numpy() for part in four_bits(torch.from_numpy(value)))
        largest = np.abs(whole * scales).max(axis=(1, 2))
        scale = np.where(largest == 0, np.float32(1), largest / np.float32(127))
        shares = np.where(whole.any(axis=-1, keepdims=True), scales / scale[:, None, None], np.float32(0))
        held |= {f"{name}_scale": scale, f"{name}_share": shares.transpose(1, 2, 0).astype(np.float16)}
        lower, upper = np.split((whole + 8).astype(np.uint8).transpose(1, 2, 0), 2, axis=1)
        held[f"{name}_packed"] = lower | upper << 4
        held[f"{name}_zero_point"] = np.zeros(len(value), np.int8)
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
    for first in [name for name in held if name.endswith("self.query.weight_scale")]:
        base = first.removesuffix("query.weight_scale")
        for end in ("weight_quantized", "weight_packed", "weight_share", "weight_scale", "weight_zero_point", "bias"):
            if parts := [held[name] for part in _PARTS if (name := f"{base}{part}.{end}") in held]:
                held[f"{base}qkv.{end}"] = np.concatenate(parts, axis=-1)
    return held


def floats(file: Path) -> dict[str, NDArray[np.float32]]:
    """The weights of a fused file in eight bits as torch has them. Raises ``ValueError`` for one in four."""
    import onnx
    from onnx import numpy_helper

    held = {one.name: numpy_helper.to_array(one) for one in onnx.load(str(file)).graph.initializer}
    if any(name.endswith("_packed") for name in held):
        raise ValueError(f"{file} holds weights in four bits")
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
