"""Files from the Hugging Face hub: gone on with where a download stopped, and checked by the hash the hub announces.

The hub's own download function begins again after an interruption; a model is gigabytes, so its parts are used instead.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fin_tui.assets.verify import sha256_of
from fin_tui.errors import MissingAsset
from fin_tui.network import VARIABLE, is_offline

if TYPE_CHECKING:
    from typing_extensions import Buffer

Advance = Callable[[float, float], None]
"""Called with bytes done and bytes in all."""

_OFFLINE = "The Hugging Face hub can't be reached."
_TIMEOUT_S = 20
_SHA256_DIGITS = 64


def fetch_hub_file(
    repository: str, name: str, folder: Path, advance: Advance, *, revision: str = "main", sha256: str = ""
) -> Path:
    """Download one file into ``folder``; what an interrupted call left there is gone on with. ``sha256`` is that of the file,
    where it is known.

    Raises ``MissingAsset``: offline, no such file, licence not accepted, disk full, or not the bytes that the hub announced.
    """
    from huggingface_hub import constants, hf_hub_url
    from huggingface_hub.file_download import get_hf_file_metadata, http_get
    from huggingface_hub.utils._headers import build_hf_headers
    from huggingface_hub.utils.tqdm import disable_progress_bars

    if is_offline():
        raise MissingAsset(f"{name} is at the hub, and offline mode is on.", f"Leave out --offline, or unset {VARIABLE}.")
    if constants.HF_HUB_OFFLINE:
        raise MissingAsset(f"{_OFFLINE} (HF_HUB_OFFLINE is set)", "Unset it, or put the file in place by hand.")
    disable_progress_bars("huggingface_hub.http_get")
    place = folder / name
    with _plain_errors(repository, name):
        url = hf_hub_url(repository, name, revision=revision, endpoint=os.environ.get("HF_ENDPOINT"))
        about = get_hf_file_metadata(url, timeout=_TIMEOUT_S)
        announced = (about.etag or "").strip('"')
        if sha256 and announced != sha256:
            what = f"The hub's {name} of {repository} is not the file that is known: its hash is another one."
            raise MissingAsset(what, "A newer release of fin-tui may know it; or put the file in place by hand.")
        # Named by what it will be: the rest of another version is never added to it.
        part = folder / f"{name}.{announced[:16]}.part"
        part.parent.mkdir(parents=True, exist_ok=True)
        headers = build_hf_headers()
        if urlsplit(about.location).netloc != urlsplit(url).netloc:
            headers.pop("authorization", None)
        with _ToldFile(part, advance, float(about.size or 0)) as file:
            http_get(about.location, file, resume_size=file.tell(), headers=headers, expected_size=about.size)
    # Files kept as large files are announced by their sha256; small ones by a git hash, which is shorter.
    if len(announced) == _SHA256_DIGITS and sha256_of(part) != announced:
        part.unlink()
        raise MissingAsset(f"{name} from {repository} is damaged: its hash is not the one announced.", "Try again.")
    part.replace(place)
    return place


class _ToldFile(io.FileIO):
    """A file written at its end, which tells how long it has become."""

    def __init__(self, path: Path, advance: Advance, size: float) -> None:
        super().__init__(path, "ab")
        self.seek(0, os.SEEK_END)
        self._advance, self._size = advance, size

    def write(self, data: Buffer) -> int:
        rest = memoryview(data)
        while len(rest):
            rest = rest[super().write(rest) :]
        self._advance(float(self.tell()), self._size)
        return memoryview(data).nbytes


@contextlib.contextmanager
def _plain_errors(repository: str, name: str) -> Iterator[None]:
    from huggingface_hub import errors

    hint = "Try again where there is a network, or put the file in place by hand."
    try:
        yield
    except errors.GatedRepoError as error:
        raise MissingAsset(f"{repository} wants its licence accepted first.", f"See its page on the hub. {hint}") from error
    except (errors.RepositoryNotFoundError, errors.RemoteEntryNotFoundError, errors.RevisionNotFoundError) as error:
        raise MissingAsset(f"The hub has no {name} in {repository}.", hint) from error
    except (errors.HfHubHTTPError, errors.LocalEntryNotFoundError, errors.FileMetadataError) as error:
        raise MissingAsset(f"{_OFFLINE} ({type(error).__name__})", hint) from error
    except OSError as error:
        why = error.strerror or str(error).split("\n")[0]
        raise MissingAsset(
            f"The download of {name} stopped: {why}", "Run the same command again: it goes on from there."
        ) from error
    except Exception as error:
        # The connection errors of its HTTP client derive from nothing that the hub's library names.
        if any(kind.__name__ in ("TransportError", "RequestError") for kind in type(error).__mro__):
            raise MissingAsset(f"{_OFFLINE} ({type(error).__name__})", hint) from error
        raise
