"""Fused weights: the same weights in fewer nodes."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray


@pytest.mark.parametrize("folder", ["cross_encoder_weights", "reader_weights"])
def test_the_weights_of_the_package_have_one_node_for_an_attention(folder: str) -> None:
    onnx = pytest.importorskip("onnx")
    from training.fused import floats

    file = Path(str(files("fin_tui.retrieval").joinpath(folder, "model.onnx")))
    kinds = [node.op_type for node in onnx.load(str(file)).graph.node]
    layers = kinds.count("QAttention")
    assert layers in (6, 12)
    assert len(kinds) < 12 * layers + 30
    weights = floats(file)
    queries = [value for name, value in weights.items() if name.endswith("attention.self.query.weight")]
    assert [value.shape for value in queries] == [(384, 384)] * layers
    assert all(np.isfinite(value).all() for value in weights.values())


def test_the_upper_layers_alone_give_what_they_give_above_the_lower_ones(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    import onnxruntime

    from fin_tui.retrieval.onnx import OnnxLayers
    from training.fused import LOWER, floats, upper_layers

    file = Path(str(files("fin_tui.retrieval").joinpath("cross_encoder_weights", "model.onnx")))
    whole = onnx.load(str(file))
    assert [one.name for one in whole.graph.output] == ["logits", f"states_{LOWER}"]
    last = onnx.helper.make_tensor_value_info("states_12", onnx.TensorProto.FLOAT, ["texts", "tokens", 384])
    whole.graph.output.append(last)
    onnx.save(whole, str(tmp_path / "whole.onnx"))
    own = {f"encoder.{name.removeprefix('bert.')}": value for name, value in floats(file).items() if name.startswith("bert.")}
    upper_layers(own, tmp_path / "upper.onnx")
    ids = np.array([[101, 2129, 2116, 102, 2403, 102]])
    fed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    session = onnxruntime.InferenceSession(str(tmp_path / "whole.onnx"), providers=["CPUExecutionProvider"])
    lower, expected = session.run([f"states_{LOWER}", "states_12"], fed)
    made = OnnxLayers(tmp_path / "upper.onnx").run(lower)
    assert np.corrcoef(made.ravel(), expected.ravel())[0, 1] > 0.97, "four bits in the place of eight"
    assert (tmp_path / "upper.onnx").stat().st_size < 8_000_000
    with pytest.raises(ValueError, match="four bits"):
        floats(tmp_path / "upper.onnx")


def some_weight() -> NDArray[np.float32]:
    """One with a block of zeros, and a row of them."""
    from training.fused import BLOCK

    weight = np.random.default_rng(5).normal(scale=0.01, size=(6, 3 * BLOCK)).astype(np.float32)
    weight[2, :BLOCK] = 0
    weight[4] = 0
    return weight


def test_in_four_bits_the_farthest_weight_of_a_block_is_met_and_others_within_half_a_step() -> None:
    torch = pytest.importorskip("torch")
    from training.fused import BLOCK, four_bits

    weight = some_weight()
    whole, scales = (part.numpy() for part in four_bits(torch.from_numpy(weight)))
    assert whole.shape == (6, 3, BLOCK)
    assert (whole.min(), whole.max()) == (-8, 7)
    assert (scales != 0).all()
    blocks = weight.reshape(whole.shape)
    off = np.abs(whole * scales - blocks)
    assert np.take_along_axis(off, np.abs(blocks).argmax(-1)[..., None], -1).max() < 1e-6
    assert (off <= 0.5 * np.abs(scales) + 1e-6)[whole < 7].all()


def test_what_is_trained_is_what_the_file_gives_once_it_is_loaded(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    torch = pytest.importorskip("torch")
    import onnxruntime

    from training.fused import _Graph, _packed, _save
    from training.upper import in_four_bits

    weight = some_weight()
    graph = _Graph(_packed({"dense.weight": weight}))
    bytes_ = graph.dense("dense.weight")
    graph.add("Identity", ["fed"], "out")
    _save(graph, [onnx.helper.make_tensor_value_info("fed", 1, [1])], {"out": [1]}, tmp_path / "made.onnx")
    made = onnx.load(str(tmp_path / "made.onnx"))
    made.graph.output.append(onnx.helper.make_tensor_value_info(bytes_, onnx.TensorProto.INT8, None))
    session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    scale = graph.weights["dense.weight_scale"]
    given = session.run([bytes_], {"fed": np.zeros(1, np.float32)})[0].T * scale[:, None]
    assert np.isfinite(graph.weights["dense.weight_share"]).all()
    assert np.abs(given - in_four_bits(torch.from_numpy(weight)).numpy()).max() <= 0.51 * scale[weight.any(axis=1)].max()


@pytest.mark.parametrize("name", ["excerpt_weights", "paragraph_weights"])
def test_both_parts_of_the_package_meet_at_one_layer(name: str) -> None:
    import onnxruntime

    from training.fused import LOWER

    folder = Path(str(files("fin_tui.retrieval")))
    lower, upper = (
        onnxruntime.InferenceSession(str(folder / part / "model.onnx"), providers=["CPUExecutionProvider"])
        for part in ("cross_encoder_weights", name)
    )
    assert lower.get_outputs()[1].name == upper.get_inputs()[0].name == f"states_{LOWER}"
