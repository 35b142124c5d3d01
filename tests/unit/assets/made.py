"""A small asset, the archives that carry it, and a stand-in for the hub."""

from __future__ import annotations

import hashlib
import io
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal
from unittest import mock

from fin_tui.assets import Asset, AssetFile

CONTENT = {"weights.bin": b"weights" * 1000, "sub/config.json": b'{"a": 1}'}


def asset(archive: Literal["wheel", "sdist"] = "wheel", *, hub: str = "", package: str = "made-assets") -> Asset:
    files = tuple(
        AssetFile(name, hashlib.sha256(raw).hexdigest(), len(raw), f"pack/{name}", name if hub else "")
        for name, raw in CONTENT.items()
    )
    return Asset(
        "made",
        "a test's asset",
        "MIT",
        "models/made",
        package,
        "1.0",
        archive,
        1000,
        "everything else",
        files,
        hub=hub,
    )


def wheel(folder: Path, content: dict[str, bytes] = CONTENT) -> Path:
    path = folder / "made_assets-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, raw in content.items():
            archive.writestr(f"pack/{name}", raw)
        archive.writestr("made_assets-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: made-assets\nVersion: 1.0\n")
        archive.writestr("made_assets-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("made_assets-1.0.dist-info/RECORD", "")
    return path


def sdist(folder: Path) -> Path:
    path = folder / "made_assets-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, raw in CONTENT.items():
            info = tarfile.TarInfo(f"made_assets-1.0/pack/{name}")
            info.size = len(raw)
            archive.addfile(info, io.BytesIO(raw))
    return path


class Hub(ThreadingHTTPServer):
    """Serves one repository as the hub does: redirects aside, with the headers its client needs, and byte ranges."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files = files
        self.announced: dict[str, str] = {name: hashlib.sha256(raw).hexdigest() for name, raw in files.items()}
        self.ranges: list[str] = []
        self.cut_after = 0
        """Bytes after which the next download breaks off, once."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        name = self.path.split("/resolve/", 1)[-1].partition("/")[2].partition("?")[0]
        raw = self.server.files.get(name)
        if raw is None:
            self.send_response(404)
            self.send_header("X-Error-Code", "EntryNotFound")
            self.send_header("X-Repo-Commit", "0" * 40)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        start = 0
        if wanted := self.headers.get("Range"):
            self.server.ranges.append(wanted)
            start = int(wanted.removeprefix("bytes=").split("-")[0])
        self.send_response(206 if start else 200)
        self.send_header("X-Repo-Commit", "0" * 40)
        self.send_header("ETag", f'"{self.server.announced[name]}"')
        self.send_header("Content-Length", str(len(raw) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(raw) - 1}/{len(raw)}")
        self.end_headers()
        if body:
            cut, self.server.cut_after = self.server.cut_after, 0
            self.wfile.write(raw[start : start + cut] if cut else raw[start:])
            self.close_connection = bool(cut)

    def log_message(self, format: str, *args: object) -> None:
        return None


@contextmanager
def hub(files: dict[str, bytes]) -> Iterator[Hub]:
    """The stand-in, running; the tests' ban on the network is lifted for it."""
    from huggingface_hub import constants

    server = Hub(files)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        with mock.patch.object(constants, "HF_HUB_OFFLINE", False):
            yield server
    finally:
        server.shutdown()
        server.server_close()
