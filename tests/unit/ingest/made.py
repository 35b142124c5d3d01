"""A small 10-K as HTML, and an encoder that needs no weights."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

_ITEMS = {
    "1. Business": "{name} makes widgets in two factories and sells them through its own stores.",
    "1A. Risk Factors": "Demand for widgets may fall, and a few outsourcing partners assemble most of them.",
    "2. Properties": "The two factories stand in Springfield and are owned.",
    "3. Legal Proceedings": "There are no material legal proceedings.",
    "5. Market for Registrant's Common Equity": "The common stock trades under the symbol EXM.",
    "7. Management's Discussion and Analysis of Financial Condition and Results of Operations": "Net sales grew by five percent.",
    "8. Financial Statements and Supplementary Data": "The statements of operations follow.",
    "9A. Controls and Procedures": "Controls were effective.",
}


def make_html(name: str = "Example Widgets Inc.", year: int = 2023, form: str = "10-K", extra: str = "") -> bytes:
    """A complete filing with cover and Items; ``extra`` is a paragraph of Item 1."""
    cover = f"""<p>UNITED STATES</p><p>SECURITIES AND EXCHANGE COMMISSION</p><p>Washington, D.C. 20549</p><p>FORM {form}</p>
<p>ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934</p>
<p>For the fiscal year ended December 31, {year}</p><p>Commission File Number: 001-04242</p><p><b>{name}</b></p>
<p>(Exact name of registrant as specified in its charter)</p>"""
    body = "".join(
        f"<p><b>Item {title}</b></p><p>{text.format(name=name)} {'This sentence gives the section a body. ' * 12}</p>"
        + (f"<p>{extra}</p>" if title.startswith("1.") and extra else "")
        for title, text in _ITEMS.items()
    )
    return f"<html><body>{cover}{body}<p>SIGNATURES</p><p>Signed.</p></body></html>".encode()


class HashingEncoder:
    """Vectors from a hash of the text: the same text, the same vector."""

    name = "hashing@test"
    dimension = 8

    def __init__(self, on_batch: Callable[[Sequence[str]], None] = lambda texts: None) -> None:
        self._on_batch = on_batch

    def encode_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self._on_batch(texts)
        return np.stack([self.encode_query(text) for text in texts])

    def encode_query(self, text: str) -> NDArray[np.float32]:
        digest = np.frombuffer(hashlib.blake2b(text.encode(), digest_size=8).digest(), np.uint8).astype(np.float32) - 127.5
        vector: NDArray[np.float32] = digest / np.linalg.norm(digest)
        return vector
