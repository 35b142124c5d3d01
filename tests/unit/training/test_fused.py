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
