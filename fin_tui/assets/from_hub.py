"""Files from the Hugging Face hub: resumed where a download stopped, and checked by the hash the hub announces."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fin_tui.assets.verify import sha256_of
from fin_tui.errors import MissingAsset

Advance = Callable[[float, float], None]

_OFFLINE = "The Hugging Face hub can't be reached."


def fetch_hub_file(repository: str, name: str, folder: Path, advance: Advance, *, revision: str = "main") -> Path:
    """Download one file into ``folder``; what an interrupted call left there is gone on with.

    Raises ``MissingAsset``: offline, no such file, licence not accepted, or not the bytes that the hub announced.
    """
    from huggingface_hub import hf_hub_download, hf_hub_url
    from huggingface_hub.file_download import get_hf_file_metadata

    with _plain_errors(repository, name):
        mirror = os.environ.get("HF_ENDPOINT")
        about = get_hf_file_metadata(hf_hub_url(repository, name, revision=revision, endpoint=mirror), timeout=20)
        folder.mkdir(parents=True, exist_ok=True)
        bar = _bar(advance, float(about.size or 0))
        got = Path(
            hf_hub_download(repository, name, revision=revision, endpoint=mirror, local_dir=folder, tqdm_class=bar),
        )
    announced = (about.etag or "").strip('"')
    # Files kept as large files are named by their sha256; small ones by a git hash, which is 40 digits.
    if len(announced) == 64 and sha256_of(got) != announced:
        got.unlink()
        raise MissingAsset(f"{name} from {repository} is damaged: its hash is not the one announced.", "Try again.")
    return got


def _bar(advance: Advance, size: float) -> type[Any]:
    from tqdm.auto import tqdm

    class Bar(tqdm):  # type: ignore[misc]
        """Tells ``advance`` and draws nothing itself."""

        def __init__(self, *args: Any, **options: Any) -> None:
            options.pop("name", None)
            super().__init__(*args, **{**options, "disable": False, "file": _Nowhere()})

        def update(self, n: float | None = 1) -> bool | None:
            drawn: bool | None = super().update(n)
            advance(float(self.n), float(self.total or size))
            return drawn

    return Bar


class _Nowhere:
    def write(self, _text: str) -> int:
        return 0

    def flush(self) -> None:
        return None


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
    except (errors.HfHubHTTPError, errors.LocalEntryNotFoundError, errors.FileMetadataError, OSError) as error:
        raise MissingAsset(f"{_OFFLINE} ({type(error).__name__})", hint) from error
    except Exception as error:
        # Its HTTP client's own connection errors derive from nothing that the hub's library names.
        if any(kind.__name__ in ("TransportError", "RequestError", "RequestException") for kind in type(error).__mro__):
            raise MissingAsset(f"{_OFFLINE} ({type(error).__name__})", hint) from error
        raise
