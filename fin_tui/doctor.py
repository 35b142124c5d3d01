"""Looks a home folder over: database, filings, vectors, indexes, weights, machine; and mends what can be made again.

Each check yields its findings; ``examine`` puts them in order.
"""

from __future__ import annotations

import locale
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal

from fin_tui.assets import Asset, load_catalogue, sha256_of
from fin_tui.config import Settings
from fin_tui.engine.models.client import open_model
from fin_tui.engine.models.files import read_header
from fin_tui.errors import FinTuiError, MissingAsset, said
from fin_tui.ingest import Embedded, FailedFile, Job
from fin_tui.ingest.pipeline import PARSER
from fin_tui.ingest.worker import run
from fin_tui.language import count
from fin_tui.paths import Paths
from fin_tui.records import Filing
from fin_tui.retrieval.encoder import encoder_name, load_encoder
from fin_tui.retrieval.indexes import Indexes, StaleIndex, current_folder, load, writer_lock
from fin_tui.store.codec import sha256
from fin_tui.store.database import Database, is_alive, one_at_a_time, record_path
from fin_tui.store.library import Health, Library


def examine(paths: Paths, settings: Settings, *, repair: bool = False, engines: bool = True) -> Iterator[Finding]:
    """Look at everything under ``paths``; with ``repair`` also mend what can be made again. Never raises for what it finds.

    ``engines`` loads encoder and language model, which takes seconds.
    """
    steps: list[tuple[str, Callable[[], Iterable[Finding]]]] = [
        ("disk", lambda: look_at_disk(paths)),
        ("database", lambda: _library(paths, settings, repair)),
        ("leftovers", lambda: look_at_leftovers(paths)),
        ("weights", lambda: look_at_weights(paths)),
        ("models", lambda: look_at_engines(paths, settings) if engines else ()),
        ("terminal", look_at_terminal),
    ]
    for check, step in steps:
        yield from _guarded(check, step, repair)


def _library(paths: Paths, settings: Settings, repair: bool) -> Iterator[Finding]:
    """What stands in the database; without one that can be opened there is no more to say of it."""
    read_only = not repair or not paths.database.exists()
    is_sound = True
    with Library.open(paths, read_only=read_only) as library:
        database = Database(paths.database, read_only=read_only)
        try:
            for finding in look_at_database(database):
                is_sound = is_sound and finding.state == "ok"
                yield finding
            # What was found may have been mended meanwhile.
            if not is_sound and Health(database).damage():
                return
            yield from look_at_filings(library, database, paths, settings)
            yield from look_at_vectors(library, database, paths, settings)
            yield from look_at_indexes(library, paths, settings)
        finally:
            database.close()


def _guarded(check: str, step: Callable[[], Iterable[Finding]], repair: bool) -> Iterator[Finding]:
    try:
        for finding in step():
            yield _mended(finding) if repair and finding.mend is not None else finding
    except FinTuiError as error:
        yield Finding(check, "problem", error.message, error.hint)
    except OSError as error:
        yield Finding(check, "problem", f"{error.filename or check}: {said(error)}", "Check disk and permissions.")


def _mended(finding: Finding) -> Finding:
    assert finding.mend is not None
    try:
        finding.mend()
    except (FinTuiError, OSError) as error:
        why = error.message if isinstance(error, FinTuiError) else str(error)
        return replace(finding, state="problem", what=f"{finding.what}; mending failed: {why}", mend=None)
    return replace(finding, state="mended", fix="", mend=None)


State = Literal["ok", "note", "problem", "mended"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    check: str
    """database, filings, vectors, index, leftovers, weights, models, disk, terminal."""
    state: State
    """A note costs speed or quality and no more; a problem is to be mended."""
    what: str
    fix: str = ""
    """What a person does about it; empty where there is nothing to do."""
    filing: str = ""
    """Id, where it is about one filing."""
    mend: Callable[[], None] | None = field(default=None, compare=False)
    """Makes it right without touching what a user wrote. Raises ``FinTuiError`` or ``OSError``."""


def ok(check: str, what: str) -> Finding:
    """Nothing to do."""
    return Finding(check, "ok", what)


_DATABASE = "database"
_COPY = "Restore a copy of data/library.sqlite3; or move it away, add the filings again, and keep the old file."


def look_at_database(database: Database) -> Iterator[Finding]:
    """Damage, rows without a filing, stored files that nothing names. Raises ``FinTuiError`` for a file that can't be read."""
    health = Health(database)
    damage = health.damage()
    if damage:
        # Only an index of SQLite's own can be made again from the rest; a damaged table can't.
        is_index = all("index" in line for line in damage)
        fix = "fin-tui doctor --repair makes its indexes again." if is_index else _COPY
        more = f" (and {len(damage) - 1} more)" if len(damage) > 1 else ""
        yield Finding(
            _DATABASE, "problem", f"SQLite finds: {damage[0]}{more}", fix, mend=health.rebuild_sql_indexes if is_index else None
        )
        return
    yield ok(_DATABASE, f"{database.path.name} is whole")
    if loose := health.loose_rows():
        yield Finding(
            _DATABASE, "problem", f"{count(loose, 'row')} of no filing", "fin-tui doctor --repair.", mend=health.drop_loose_rows
        )
    if unused := health.unused_originals():
        what = f"{count(unused, 'stored file')} named by no filing"
        yield Finding(_DATABASE, "problem", what, "fin-tui doctor --repair.", mend=health.drop_unused_originals)


_FILINGS = "filings"
LOW_COVERAGE = 0.9
LOW_CROSSCHECK = 0.98
FEW_ITEMS = 6
"""A 10-K has 16 Items and more; one of which fewer are found was read badly, or is a part of a report."""


def look_at_filings(library: Library, database: Database, paths: Paths, settings: Settings) -> Iterator[Finding]:
    """Stored bytes against their hash, completeness, and how well each filing was read."""
    filings = library.filings()
    health = Health(database)
    broken = {*health.incomplete(), *health.wrong_texts()}
    whole = 0
    for filing in filings:
        found = [*_bytes(library, filing), *_whole(filing, filing.id in broken, paths, settings), *_reading(filing)]
        whole += all(finding.state == "note" for finding in found)
        yield from found
    if earlier := [filing for filing in filings if _is_of_earlier_reader(library, filing)]:
        names = ", ".join(filing.file for filing in earlier[:3]) + (", …" if len(earlier) > 3 else "")
        what = f"{len(earlier)} of {len(filings)} filings were read by an earlier version of the reader: {names}"
        yield Finding(_FILINGS, "note", what, "fin-tui reindex reads them again; what you kept from them is found again.")
    yield ok(_FILINGS, f"{whole} of {len(filings)} filings are whole" if filings else "The library is empty")


def _bytes(library: Library, filing: Filing) -> Iterator[Finding]:
    try:
        is_same = sha256(library.original(filing.id)) == library.records.provenance(filing.id).sha256
    except FinTuiError:
        is_same = False
    if not is_same:
        fix = f"fin-tui remove {filing.id}, then add {filing.file} again."
        yield Finding(_FILINGS, "problem", f"{_name(filing)}: its stored bytes are damaged", fix, filing.id)


def _whole(filing: Filing, is_broken: bool, paths: Paths, settings: Settings) -> Iterator[Finding]:
    if is_broken:
        what = f"{_name(filing)}: text, passages or facts are missing or changed"
        yield Finding(
            _FILINGS, "problem", what, f"fin-tui reindex {filing.id}", filing.id, partial(_read_again, filing.id, paths, settings)
        )


def _reading(filing: Filing) -> Iterator[Finding]:
    """How well it was read: what is low costs answers, and often lies in the file itself."""
    look = f"Compare with fin-tui sections {filing.id}; a fuller file of it can be added in its place."
    if len(filing.items) < FEW_ITEMS:
        found = ", ".join(filing.items) or "none"
        yield Finding(_FILINGS, "note", f"{_name(filing)}: few Items were found ({found})", look, filing.id)
    if filing.coverage < LOW_COVERAGE:
        yield Finding(_FILINGS, "note", f"{_name(filing)}: {filing.coverage:.1%} of its words were kept", look, filing.id)
    if filing.crosscheck is not None and filing.crosscheck < LOW_CROSSCHECK:
        what = f"{_name(filing)}: {filing.crosscheck:.1%} of {filing.crosscheck_cells:,} tagged cells were read as tagged"
        yield Finding(_FILINGS, "note", what, "Check figures from its untagged tables; tagged ones are not concerned.", filing.id)


def _is_of_earlier_reader(library: Library, filing: Filing) -> bool:
    return library.records.provenance(filing.id).parsed_by.partition(" ")[0] != str(PARSER)


def _read_again(filing_id: str, paths: Paths, settings: Settings) -> None:
    for outcome in run(Job(paths, settings, filings=(filing_id,), embed=False)):
        if isinstance(outcome, FailedFile):
            raise FinTuiError(outcome.message, outcome.hint)


def _name(filing: Filing) -> str:
    return f"{filing.company or filing.file} FY{filing.fiscal_year or '?'} ({filing.id})"


VECTORS, INDEX = "vectors", "index"
_REPAIR = "fin-tui doctor --repair."


def look_at_vectors(library: Library, database: Database, paths: Paths, settings: Settings) -> Iterator[Finding]:
    """Vectors that are missing, of the wrong length, or of texts that are gone."""
    health = Health(database)
    if odd := health.odd_vectors():
        yield Finding(VECTORS, "problem", f"{count(odd, 'damaged vector')}", _REPAIR, mend=health.drop_odd_vectors)
    if unused := health.unused_vectors():
        what = f"{count(unused, 'vector')} of texts that are gone; filings that come back would use them"
        yield Finding(VECTORS, "note", what, _REPAIR, mend=partial(_prune, library))
    name = encoder_name(settings.encoder, paths)
    done, total = library.embeddings.progress(name or "")
    if name is None:
        what = f"{count(total, 'passage')} searched by words alone: there are no encoder weights"
        yield Finding(VECTORS, "note", what, "fin-tui setup") if total else ok(VECTORS, "There is nothing to embed")
    elif done < total:
        what = f"{total - done:,} of {total:,} passages have no vector of {name}"
        yield Finding(VECTORS, "problem", what, _REPAIR, mend=partial(_embed, paths, settings))
    else:
        yield ok(VECTORS, f"All {total:,} passages have a vector of {name}")


def look_at_indexes(library: Library, paths: Paths, settings: Settings) -> Iterator[Finding]:
    """The current generation: there, whole, of this library, up to date; and generations that nothing names."""
    current = current_folder(paths.index)
    chunks = sum(filing.chunks for filing in library.filings())
    mend = partial(_write, library, paths, settings)
    if current is None:
        if chunks:
            yield Finding(INDEX, "problem", "There is no index on the disk; the first search is slow", _REPAIR, mend=mend)
        else:
            yield ok(INDEX, "There is nothing to index")
    else:
        try:
            found = load(current, library, encoder_name(settings.encoder, paths)).manifest
        except StaleIndex as error:
            yield Finding(INDEX, "problem", f"The index can't be used and is read from the library: {error}", _REPAIR, mend=mend)
        else:
            if (found.chunks, found.vectors) == (chunks, library.embeddings.progress(found.encoder)[0]):
                yield ok(INDEX, f"{current.name} is whole: {count(found.chunks, 'passage')}, {count(found.vectors, 'vector')}")
            else:
                holds = f"{count(found.chunks, 'passage')} and {count(found.vectors, 'vector')}"
                what = f"The index holds {holds}; the library has {chunks:,}"
                yield Finding(INDEX, "note", f"{what}. Searches are right, the first one is slower", _REPAIR, mend=mend)
    if left := _left(paths):
        what = f"{count(len(left), 'unfinished or replaced index folder')} taking up room"
        yield Finding(INDEX, "problem", what, _REPAIR, mend=partial(_drop, paths))


def _prune(library: Library) -> None:
    library.embeddings.prune()


def _embed(paths: Paths, settings: Settings) -> None:
    for outcome in run(Job(paths, settings)):
        if isinstance(outcome, Embedded) and outcome.note:
            raise FinTuiError(f"The vectors were not made: {outcome.note}")


def _write(library: Library, paths: Paths, settings: Settings) -> None:
    made = Indexes(paths, library, settings)
    made.write()
    folder = current_folder(paths.index)
    if folder is None:
        raise FinTuiError("The index was not written: another process writes it now.", "Try again when it is done.")
    try:
        load(folder, library, encoder_name(settings.encoder, paths))
    except StaleIndex as error:
        raise FinTuiError(f"The index could not be made again: {error}") from error


def _left(paths: Paths) -> list[Path]:
    """Generations that CURRENT does not name; while another process writes, its folder is not left over."""
    if not paths.index.is_dir():
        return []
    found = [folder for folder in paths.index.glob("generation-*") if folder != current_folder(paths.index)]
    if not found:
        return []
    try:
        with writer_lock(paths.index) as is_free:
            return found if is_free else []
    except OSError:
        return found


def _drop(paths: Paths) -> None:
    with writer_lock(paths.index) as is_free:
        if not is_free:
            raise FinTuiError("Another process writes the index now.", "Try again when it is done.")
        keep = current_folder(paths.index)
        for folder in paths.index.glob("generation-*"):
            if folder != keep:
                shutil.rmtree(folder)


_LEFTOVERS = "leftovers"


def look_at_leftovers(paths: Paths) -> Iterator[Finding]:
    """Marks of dead processes, half-written files, downloads that were not taken in."""
    dead = [*_dead_marks(paths), *_parts(paths)]
    if dead:
        what = f"{count(len(dead), 'file')} left by processes that are gone: {', '.join(path.name for path in dead[:3])}"
        yield Finding(_LEFTOVERS, "problem", what, "fin-tui doctor --repair.", mend=partial(_unlink, dead))
    if waiting := _downloads(paths):
        what = f"{count(waiting, 'download')} from EDGAR not added yet"
        yield Finding(_LEFTOVERS, "note", what, "The same fin-tui fetch goes on.")
    incoming = paths.models / ".incoming"
    if incoming.is_dir():
        what = "A download of weights broke off"
        yield Finding(
            _LEFTOVERS, "note", what, "fin-tui setup goes on; --repair drops it.", mend=partial(shutil.rmtree, incoming)
        )
    if not dead and not waiting and not incoming.is_dir():
        yield ok(_LEFTOVERS, "Nothing was left behind")


def _dead_marks(paths: Paths) -> list[Path]:
    folder = paths.data / "answering"
    marks = sorted(folder.iterdir()) if folder.is_dir() else []
    found = [mark for mark in marks if not _is_alive(mark.name.partition("-")[0])]
    record = record_path(paths.database)
    if record.is_file():
        import msgspec

        try:
            pid = int(msgspec.json.decode(record.read_bytes())["pid"])
        except (OSError, msgspec.DecodeError, KeyError, TypeError, ValueError):
            pid = 0
        found += [] if is_alive(pid) else [record]
    return found


def _parts(paths: Paths) -> list[Path]:
    """``NAME.PID.part`` and pointers that were never swapped in. Those of downloads stand in folders of their own."""
    found = [
        part
        for folder in (paths.data, paths.models)
        for part in (folder.glob("*.part") if folder.is_dir() else ())
        if not _is_alive(part.name.split(".")[-2])
    ]
    pointer = paths.index / "CURRENT.new"
    return [*found, pointer] if pointer.is_file() else found


def _downloads(paths: Paths) -> int:
    folder = paths.data / "edgar"
    if not folder.is_dir():
        return 0
    with one_at_a_time(paths.data / "fetch.lock") as is_free:
        if not is_free:
            return 0  # A fetch is at work: these are its own.
    whole = [path for path in folder.iterdir() if path.is_dir() and path.name != ".incoming"]
    incoming = folder / ".incoming"
    return len(whole) + (len(list(incoming.iterdir())) if incoming.is_dir() else 0)


def _is_alive(pid: str) -> bool:
    return pid.isdigit() and is_alive(int(pid))


def _unlink(left: Sequence[Path]) -> None:
    for path in left:
        path.unlink(missing_ok=True)


DISK, TERMINAL = "disk", "terminal"
FULL_BYTES = 200 << 20
"""Less than this and adding a few filings fails."""
LOW_BYTES = 1 << 30
COLUMNS, LINES = 80, 24


def look_at_disk(paths: Paths) -> Iterator[Finding]:
    """Room and permissions where the library is."""
    free = shutil.disk_usage(_existing(paths.home)).free
    said = f"{free / (1 << 30):.1f} GB free at {paths.home}"
    if free < FULL_BYTES:
        yield Finding(DISK, "problem", f"The disk is nearly full: {said}", "Free some space.")
    elif free < LOW_BYTES:
        yield Finding(DISK, "note", said, "A large fetch may not fit.")
    else:
        yield ok(DISK, said)
    for folder in (paths.data, paths.index):
        place = _existing(folder)
        if not os.access(place, os.W_OK):
            what = f"{place} can't be written: the library can be read and no more"
            yield Finding(DISK, "problem", what, "Check its permissions, or choose another folder with --home.")


def look_at_terminal(environment: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """What the app will find: kind, colours, characters, size."""
    if not sys.stderr.isatty() and not sys.stdout.isatty():
        yield ok(TERMINAL, "There is none here to look at")
        return
    size = shutil.get_terminal_size()
    kind = environment.get("TERM", "")
    colours = _colours(environment)
    yield ok(TERMINAL, f"{kind or 'unknown'}, {size.columns} x {size.lines}, {colours}, {locale.getencoding()}")
    if kind in ("", "dumb"):
        yield Finding(TERMINAL, "note", "The app can't draw here", "Set TERM, e.g. xterm-256color.")
    if locale.getencoding().lower().replace("-", "") != "utf8":
        yield Finding(TERMINAL, "note", "The terminal is not set to UTF-8: lines may look wrong", "Set LANG to C.UTF-8.")
    if size.columns < COLUMNS or size.lines < LINES:
        what = f"The window is smaller than {COLUMNS} x {LINES}"
        yield Finding(TERMINAL, "note", what, "The app shows one pane at a time there.")


def _colours(environment: Mapping[str, str]) -> str:
    if environment.get("NO_COLOR"):
        return "no colours"
    return "24-bit colours" if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit") else "256 colours or fewer"


def _existing(folder: Path) -> Path:
    return next(place for place in (folder, *folder.parents) if place.exists())


WEIGHTS, MODELS = "weights", "models"
_SAMPLES = "sample-filings"


def look_at_weights(paths: Paths) -> Iterator[Finding]:
    """Every file of the catalogue against its hash, read anew; every other model file by its header."""
    for asset in load_catalogue().assets:
        yield _asset(asset, paths)
    own = {asset.place(paths, file) for asset in load_catalogue().assets for file in asset.files}
    for path in sorted(paths.models.glob("*.gguf")) if paths.models.is_dir() else ():
        if path not in own:
            try:
                read_header(path)
            except FinTuiError as error:
                yield Finding(WEIGHTS, "problem", error.message, error.hint)


def _asset(asset: Asset, paths: Paths) -> Finding:
    missing, wrong = [], []
    for file in asset.files:
        place = asset.place(paths, file)
        try:
            if place.stat().st_size != file.size or sha256_of(place) != file.sha256:
                wrong.append(file.name)
        except OSError:
            missing.append(file.name)
    if wrong:
        what = f"{asset.name}: {', '.join(wrong)} is not the published file"
        return Finding(WEIGHTS, "problem", what, "fin-tui setup downloads it again.")
    if missing:
        # Samples are in the library once they were read in; an optional asset is nobody's loss.
        is_needed = not asset.optional and asset.name != _SAMPLES
        what = f"{asset.name}: {', '.join(missing)} is not there. {asset.without}".strip()
        return Finding(WEIGHTS, "problem" if is_needed else "note", what, "fin-tui setup")
    return ok(WEIGHTS, f"{asset.name}: {count(len(asset.files), 'file')} with the published hash")


def look_at_engines(paths: Paths, settings: Settings) -> Iterator[Finding]:
    """The encoder makes a vector and the language model counts tokens: both are loaded for it."""
    try:
        vector = load_encoder(settings.encoder, paths).encode_query("net sales")
        if abs(float((vector * vector).sum()) - 1) < 0.01:
            yield ok(MODELS, f"The encoder {settings.encoder.model} loads")
        else:
            yield Finding(MODELS, "problem", f"The encoder {settings.encoder.model} gives no unit vector", "fin-tui setup")
    except MissingAsset as error:
        yield Finding(MODELS, "problem", error.message, error.hint)
    try:
        client = open_model(paths, settings.model)
        try:
            client.count_tokens("net sales")
        finally:
            client.close()
        yield ok(MODELS, f"The language model {client.name} loads")
    except FinTuiError as error:
        yield Finding(MODELS, "problem", f"{error.message} Answers are worded without a model.", error.hint)
