"""Help answers at once: nothing heavy is imported for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"llama_cpp", "hnswlib", "bm25s", "onnxruntime", "sentence_transformers", "sec_edgar_downloader", "selectolax"}
HEAVY |= {"pypdfium2", "torch", "transformers", "tokenizers", "textual", "numpy", "scipy", "huggingface_hub"}
HEAVY |= {"requests", "openpyxl"}

RUN = """import sys
sys.argv = ["fin-tui", *{}]
from fin_tui.cli.main import main
try:
    main()
except SystemExit:
    pass"""


@pytest.mark.parametrize(
    "program",
    [
        "import fin_tui",
        "import fin_tui.cli.entry",
        "import fin_tui.cli.main",
        "import fin_tui.engine.models.client",
        "import fin_tui.assets",
        RUN.format(["--help"]),
        RUN.format(["ask", "--help"]),
        RUN.format(["models", "list"]),
    ],
)
def test_imports_nothing_heavy(program: str) -> None:
    report = "\nimport sys; print('\\n' + ' '.join(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program + report], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.splitlines()[-1].split()}
    assert "fin_tui" in loaded
    assert loaded & HEAVY == set()


def test_the_app_starts_without_the_engine() -> None:
    program = "import fin_tui.cli.entry, fin_tui.cli.entry, fin_tui.ui.app, sys; print(' '.join(sorted(sys.modules)))"
    loaded = set(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split())
    assert "textual" in loaded
    assert loaded & {"numpy", "rapidfuzz", "fin_tui.store.library", "fin_tui.facts.lookup", "fin_tui.engine.services"} == set()
    assert loaded & (HEAVY - {"textual"}) == set()
    assert loaded & {"typer", "pydantic", "markdown_it", "fin_tui.cli.main"} == set()
