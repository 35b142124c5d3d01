"""Long work over the real library: the ingest process and the downloads, told as jobs tell it."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fin_tui.config import Settings
from fin_tui.errors import FinTuiError, MissingAsset, UsageError, in_one_line
from fin_tui.ingest import Added, Embedded, FailedFile, Outcome, Skipped
from fin_tui.ingest import Job as IngestJob
from fin_tui.language import count
from fin_tui.network import Offline, require_network
from fin_tui.paths import Paths
from fin_tui.records import Filing, Progress
from fin_tui.ui.services import JobLine, JobNews, Missing
from fin_tui.ui.text import one_line, year_label

if TYPE_CHECKING:
    from fin_tui.assets import Asset
    from fin_tui.engine.models.client import LlamaClient

_GRACE_SECONDS = 0.5
"""Files that are being read when a job is cancelled are left out; what was reported as added stays."""
_POLL_SECONDS = 0.1
_SAMPLES = "sample-filings"
Tell = Callable[[Progress], None]


class LiveWork:
    """Implements ``ui.services.Work`` for one home."""

    def __init__(self, paths: Paths, settings: Callable[[], Settings], held: Callable[[], Sequence[Filing]]) -> None:
        self._paths = paths
        self._settings = settings
        self._held = held

    def add(self, paths: Sequence[Path], cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        from fin_tui.ingest import expand

        files = tuple(path.absolute() for path in expand(paths))
        if not files:
            raise UsageError("There are no filings in " + ", ".join(map(str, paths)), "Filings are .htm, .html, .txt and .pdf.")
        return self._ingest(IngestJob(self._paths, self._settings(), files, embed=False), cancelled)

    def reindex(self, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        filings = tuple(filing.id for filing in self._held())
        return self._ingest(IngestJob(self._paths, self._settings(), filings=filings, embed=False), cancelled)

    def embed(self, cancelled: Callable[[], bool], grace: float) -> Iterator[JobNews]:
        """Make the missing vectors."""
        return self._ingest(IngestJob(self._paths, self._settings()), cancelled, grace)

    def pull(self, model: str, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        from fin_tui.engine.models.listing import pull_model

        yield from told(lambda tell: pull_model(model, self._paths, tell), cancelled)
        if not cancelled():
            yield JobLine("done", f"{model} is here.")

    def try_out(self, model: str, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        from fin_tui.engine.models.client import LlamaClient
        from fin_tui.engine.models.files import find_model
        from fin_tui.evaluation.trial import try_model

        settings, found = self._settings(), find_model(model, self._paths)
        client = LlamaClient(found.path, settings.model, self._paths, name=found.name)

        def measure(tell: Tell) -> None:
            def asked(done: int, total: int) -> None:
                tell(Progress("trial", done, total, "questions"))

            try_model(self._paths, settings, client, tell=asked, when_idle=True, cancelled=cancelled)

        try:
            yield from told(measure, cancelled)
        except MissingAsset as error:
            yield JobLine("note", f"{model} was not measured: {error.message}", error.hint)
        finally:
            client.close()
        if not cancelled():
            yield self._verdict(model, client)

    def _verdict(self, model: str, client: LlamaClient) -> JobLine:
        """Choose the model where it writes; what came of the trial."""
        from fin_tui.config import write_setting
        from fin_tui.engine.models.grounding import read_grounding

        known = read_grounding(client.path)
        share = f": {known.share:.0%} of {known.sentences} sentences are supported" if known is not None else ""
        if not client.writes:
            return JobLine("skipped", f"{model} does not write well enough{share}. Answers stay the filings' own words.")
        write_setting(self._paths.settings, "model", "name", model)
        return JobLine("done", f"{model} writes answers from now on{share}.")

    def missing(self) -> Missing:
        from fin_tui.assets import Ledger, load_catalogue

        ledger, catalogue = Ledger(self._paths), load_catalogue()
        held = {filing.file for filing in self._held()}
        lacking = [asset for asset in catalogue.assets if not asset.optional and ledger.missing(asset)]
        models = tuple(f"{asset.role}: {asset.name}, {asset.size / 1e6:.0f} MB" for asset in lacking if asset.name != _SAMPLES)
        samples = catalogue.asset(_SAMPLES)
        files = tuple(file.name for file in samples.files if Path(file.name).name not in held)
        try:
            require_network("Downloading")
        except Offline as error:
            return Missing(models, files, in_one_line(error.message, error.hint))
        return Missing(models, files)

    def set_up(self, cancelled: Callable[[], bool], *, samples: bool = True) -> Iterator[JobNews]:
        from fin_tui.assets import Ledger, fetch_asset, load_catalogue

        ledger, catalogue = Ledger(self._paths), load_catalogue()
        for asset in catalogue.assets:
            if cancelled():
                return
            if asset.optional or not ledger.missing(asset) or (asset.name == _SAMPLES and not samples):
                continue
            try:
                yield from told(partial(fetch_asset, asset, self._paths, ledger), cancelled)
            except MissingAsset as error:
                yield JobLine("failed", error.message, error.hint)
            else:
                yield JobLine("done", f"{asset.name}: {asset.role}")
        if samples and not cancelled():
            yield from self._add_samples(catalogue.asset(_SAMPLES), cancelled)

    def _add_samples(self, asset: Asset, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        held = {filing.file for filing in self._held()}
        places = [asset.place(self._paths, file) for file in asset.files]
        wanted = tuple(place.absolute() for place in places if place.is_file() and place.name not in held)
        if wanted:
            yield from self._ingest(IngestJob(self._paths, self._settings(), wanted, embed=False), cancelled)

    def _ingest(self, job: IngestJob, cancelled: Callable[[], bool], grace: float = _GRACE_SECONDS) -> Iterator[JobNews]:
        from fin_tui.ingest import worker

        with contextlib.closing(worker.run(job, cancelled, grace=grace)) as outcomes:
            for outcome in outcomes:
                if cancelled():
                    return
                news = news_of(outcome)
                if news is not None:
                    yield news


def news_of(outcome: Outcome) -> JobNews | None:
    """An outcome of the ingest process as a job tells it; None for what needs no word."""
    match outcome:
        case Progress():
            return outcome
        case Added(filing=filing):
            counts = f"{count(filing.pages, 'page')}, {count(filing.chunks, 'passage')}, {count(filing.facts, 'fact')}"
            again = f"; replaces {outcome.replaced.file}" if outcome.replaced else ""
            name = f"{one_line(filing.company) or filing.file} {year_label(filing)} {one_line(filing.form)}"
            hint = "" if filing.company else f"No company was found in it: fin-tui edit {filing.id} --company NAME adds it."
            return JobLine("done", f"{name} · {counts} · {outcome.seconds:.1f} s{again} ({filing.file})", hint, filing.id)
        case Skipped(path=path, why=why):
            return JobLine("skipped", f"{Path(path).name}: {why}")
        case FailedFile(path=path, message=message, hint=hint):
            return JobLine("failed", message if Path(path).name in message else f"{Path(path).name}: {message}", hint)
        case Embedded(done=done, total=total, note=note):
            if note and done < total:
                return JobLine("note", f"{done:,} of {total:,} passages have vectors. {note}")
    return None


class _Stopped(Exception):
    """Ends a download from inside its progress."""


def told(work: Callable[[Tell], object], cancelled: Callable[[], bool]) -> Iterator[Progress]:
    """The progress of ``work``, which reports to a function, as an iterator; raises what the work raises.

    It runs in a thread of its own, as a download may wait for a network that never answers: when ``cancelled``, it is left to
    itself and ends at its next report.
    """
    reports: queue.SimpleQueue[Progress | None] = queue.SimpleQueue()
    failed: list[BaseException] = []

    def tell(progress: Progress) -> None:
        if cancelled():
            raise _Stopped
        reports.put(progress)

    def run() -> None:
        try:
            work(tell)
        except _Stopped:
            pass
        except BaseException as error:  # noqa: BLE001 - raised again by whoever reads the reports
            failed.append(error)
        reports.put(None)

    threading.Thread(target=run, name="bring", daemon=True).start()
    while not cancelled():
        try:
            progress = reports.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            continue
        if progress is None:
            break
        yield progress
    if failed and not cancelled():
        error = failed[0]
        raise error if isinstance(error, FinTuiError) else FinTuiError(f"{type(error).__name__}: {error}")
