"""A minimal PDF writer: text at positions in Helvetica, enough to lay out pages as filings have them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

_WIDTHS = {
    **dict.fromkeys("0123456789$", 556),
    **dict.fromkeys(",. ", 278),
    **dict.fromkeys("()-", 333),
    "%": 889,
    "\u2014": 1000,
}
_AVERAGE = 520
FONTS = {"regular": "Helvetica", "bold": "Helvetica-Bold", "italic": "Helvetica-Oblique"}


def width(text: str, size: float) -> float:
    """Width of ``text`` in points: exact for figures, about right for words."""
    return sum(_WIDTHS.get(c, _AVERAGE) for c in text) * size / 1000


@dataclass
class Page:
    """A page on which text is put at positions; ``y`` counts down from the top edge."""

    size: tuple[float, float] = (612.0, 792.0)
    rotate: int = 0
    content: list[str] = field(default_factory=list)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 10,
        font: str = "regular",
        matrix: str = "1 0 0 1",
        spacing: float = 0,
    ) -> Page:
        """Put ``text`` with its baseline beginning at (x, y); ``spacing`` widens its spaces."""
        escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        self.content.append(f"BT /{font} {size} Tf {spacing} Tw {matrix} {x:.2f} {self.size[1] - y:.2f} Tm ({escaped}) Tj ET")
        return self

    def right(self, x: float, y: float, text: str, *, size: float = 10, font: str = "regular") -> Page:
        """Put ``text`` so that it ends at ``x``."""
        return self.text(x - width(text, size), y, text, size=size, font=font)

    def centred(self, y: float, text: str, *, size: float = 10, font: str = "regular") -> Page:
        """Put ``text`` in the middle of the page."""
        return self.text((self.size[0] - width(text, size)) / 2, y, text, size=size, font=font)

    def lines(self, x: float, y: float, lines: Iterable[str], *, size: float = 10, leading: float = 12) -> Page:
        """Put ``lines`` one under another."""
        for number, line in enumerate(lines):
            self.text(x, y + number * leading, line, size=size)
        return self


def pdf(pages: Sequence[Page], *, compress: bool = False, title: str = "") -> bytes:
    """The bytes of a PDF file with ``pages``, and ``title`` in its metadata."""
    fonts = " ".join(
        f"/{key} << /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>" for key, name in FONTS.items()
    )
    kids = " ".join(f"{3 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode()]
    for number, page in enumerate(pages):
        box = f"[0 0 {page.size[0]} {page.size[1]}]"
        stream = "\n".join(page.content).encode("cp1252")
        packing = " /Filter /FlateDecode" if compress else ""
        stream = zlib.compress(stream) if compress else stream
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Rotate {page.rotate} "
            f"/Resources << /Font << {fonts} >> >> /Contents {4 + 2 * number} 0 R >>".encode()
        )
        objects.append(f"<< /Length {len(stream)}{packing} >>\nstream\n".encode() + stream + b"\nendstream")
    if title:
        objects.append(f"<< /Title ({title}) >>".encode())
    return _file(objects, info=len(objects) if title else 0)


def _file(objects: Sequence[bytes], *, info: int = 0) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    named = b" /Info %d 0 R" % info if info else b""
    out += b"trailer\n<< /Size %d /Root 1 0 R%s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, named, start)
    return bytes(out)
