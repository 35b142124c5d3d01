"""Fused weights: the same weights in fewer nodes."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")


@pytest.mark.parametrize("folder", ["cross_encoder_weights", "reader_weights"])
def test_the_weights_of_the_package_have_one_node_for_an_attention(folder: str) -> None:
    import onnx

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
    import onnx
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
    assert np.abs(made - expected).max() < 0.05 * np.abs(expected).max()
