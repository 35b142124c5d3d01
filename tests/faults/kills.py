"""Kill -9 at seeded random moments of adding, embedding, merging, answering and fetching, and what is left afterwards."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fin_tui.ingest.pipeline import add_files
from fin_tui.paths import Paths
from fin_tui.retrieval import dense
from fin_tui.retrieval.encoder import Encoder, load_encoder
from fin_tui.store.library import Library
from tests.edgar_server import EdgarServer, edgar
from tests.faults import checks, work
from tests.faults.filings import listed_company, write_files
from tests.faults.processes import Family, Victim

ORDER = ("add", "embed", "merge", "answer", "fetch")
_KILLS_A_HOME = 10
_START_SECONDS = 60.0
_END_SECONDS = 60.0
_FIRST_GUESS = {"add": 1.0, "embed": 2.0, "merge": 1.0, "answer": 3.0, "fetch": 1.5}
_VICTIMS: tuple[Victim, ...] = ("all", "all", "parent", "child")


@dataclass
class Tally:
    """What was tried and what came of it."""

    seed: int
    kills: Counter[tuple[str, Victim]] = field(default_factory=Counter)
    after_reports: int = 0
    """Kills that came when something had been reported already."""
    too_late: int = 0
    """Runs that were done before their kill; they do not count."""
    homes: int = 0
    seconds: float = 0.0

    @property
    def total(self) -> int:
        return self.kills.total()


class Kills:
    """One series. ``models`` holds the weights; ``folder`` is scratch."""

    def __init__(self, folder: Path, models: Path, seed: int) -> None:
        self._folder, self._models = folder, models
        self._dice = random.Random(seed)
        self._files = write_files(folder / "files")
        self._spans = dict(_FIRST_GUESS)
        self.tally = Tally(seed)
        self._clean: list[checks.Ranking] | None = None
        self._encoder: Encoder | None = None
        dense.SMALLEST_GRAPH = work.SMALL_GRAPH

    def run(self, kills: int, kinds: Sequence[str] = ORDER, tell: Callable[[str], None] = lambda _: None) -> Tally:
        """Kill so many times. Raises ``AssertionError`` naming kill, seed and home when the library did not survive one."""
        began = time.monotonic()
        with edgar(listed_company()) as server:
            while self.tally.total < kills:
                self._one_home(server, min(_KILLS_A_HOME, kills - self.tally.total), kinds, tell)
        self.tally.seconds = time.monotonic() - began
        return self.tally

    def _one_home(self, server: EdgarServer, kills: int, kinds: Sequence[str], tell: Callable[[str], None]) -> None:
        paths = self._new_home(f"home-{self.tally.homes}")
        self.tally.homes += 1
        promises = checks.Promises()
        wanted = self.tally.total + kills
        while self.tally.total < wanted:
            kind = kinds[self.tally.total % len(kinds)]
            victim = self._dice.choice(_VICTIMS if kind in ("add", "embed", "answer", "fetch") else ("all",))
            label = f"kill {self.tally.total + 1} (seed {self.tally.seed}): {victim} during {kind}"
            self._prepare(paths, kind, promises)
            if self._kill(paths, server, kind, victim, promises, label):
                tell(label)
            self._check(paths, promises, label)
        self._finish(paths, server, promises)
        shutil.rmtree(paths.home)

    def _new_home(self, name: str) -> Paths:
        paths = Paths(self._folder / name)
        paths.home.mkdir(parents=True)
        paths.models.symlink_to(self._models)
        return paths

    def _prepare(self, paths: Paths, kind: str, promises: checks.Promises) -> None:
        """See to it that there is something to do."""
        files: Sequence[Path] = ()
        with Library.open(paths) as library:
            held = {filing.file for filing in library.filings()}
            if kind == "add" and len(held) > len(self._files) // 2:
                gone = [filing for filing in library.filings() if filing.file in {f.name for f in self._files[::2]}]
                library.remove([filing.id for filing in gone])
                promises.filings -= {filing.id for filing in gone}
                promises.vectors = 0
            elif kind == "embed":
                files = [file for file in self._files if file.name not in held][:4]
                if not files:
                    with library._database.write() as connection:
                        connection.execute("DELETE FROM vectors")
                        connection.execute("UPDATE meta SET value = value + 1 WHERE name = 'vectors'")
                    promises.vectors = 0
                    # Made again in other batches, int8 vectors differ in the last digits from those that an index kept.
                    shutil.rmtree(paths.index, ignore_errors=True)
            elif kind in ("merge", "answer") and not held:
                files = self._files[:4]
            elif kind == "fetch":
                gone = [filing for filing in library.filings() if filing.url]
                library.remove([filing.id for filing in gone])
                promises.filings -= {filing.id for filing in gone}
                promises.vectors = 0
            if files:
                list(add_files(library, work.settings_for(paths), files))

    def _start(self, paths: Paths, server: EdgarServer, kind: str) -> Family:
        environment = {
            "FIN_TUI_EDGAR_NAME": "A Test",
            "FIN_TUI_EDGAR_EMAIL": "test@example.org",
            "FIN_TUI_EDGAR_ARCHIVES": server.address,
            "FIN_TUI_EDGAR_DATA": server.address,
        }
        files = [str(file) for file in self._files] if kind in ("add", "merge") else []
        family = Family(["-m", "tests.faults.work", kind, str(paths.home), *files], environment)
        assert family.wait_for("ready", _START_SECONDS), f"{kind} did not start: {family.errors}"
        return family

    def _kill(self, paths: Paths, server: EdgarServer, kind: str, victim: Victim, promises: checks.Promises, label: str) -> bool:
        family = self._start(paths, server, kind)
        moment = self._dice.uniform(0, self._spans[kind])
        began = time.monotonic()
        is_done = family.wait_for("end", moment)
        is_killed = not is_done and family.kill(victim)
        left = family.end(_END_SECONDS)
        assert not left, f"{label}: processes are left over: {left}"
        promises.hear(family.said)
        if victim == "child" or not is_killed:
            # Whoever lost a child goes on or ends with one clear line.
            assert "Traceback" not in family.errors or "FinTuiError" in family.errors, f"{label}: {family.errors}"
        if not is_killed:
            self.tally.too_late += 1
            self._spans[kind] = max(0.2, min(self._spans[kind] * 0.8, time.monotonic() - began))
            return False
        had_reported = len(family.said) > 1
        # Most kills are to come in the middle of the work, whatever the machine's speed.
        self._spans[kind] *= 1.02 if had_reported else 1.3
        self.tally.kills[kind, victim] += 1
        self.tally.after_reports += had_reported
        return True

    def _check(self, paths: Paths, promises: checks.Promises, label: str) -> None:
        settings = work.settings_for(paths)
        self._encoder = self._encoder or load_encoder(settings.encoder, paths)
        try:
            with Library.open(paths) as library:
                checks.assert_whole(library)
                checks.assert_kept(library, promises, self._encoder.name)
                checks.assert_searches_as_built_anew(paths, library, settings, self._encoder)
        except Exception as error:  # whatever it is, the library did not survive
            raise AssertionError(f"{label}: the library in {paths.home} did not survive: {error}") from error

    def _finish(self, paths: Paths, server: EdgarServer, promises: checks.Promises) -> None:
        """Do all work to its end, and compare with a library that nobody ever killed."""
        mine = self._completed(paths, server, promises)
        if self._clean is None:
            clean = self._new_home("clean")
            self._clean = self._completed(clean, server, checks.Promises())
            shutil.rmtree(clean.home)
        checks.assert_equal_libraries(mine, self._clean)
        edgar_folder = paths.data / "edgar"
        left = [path for path in edgar_folder.rglob("*") if path.is_file()]
        assert not left, f"downloads are left over: {left}"

    def _completed(self, paths: Paths, server: EdgarServer, promises: checks.Promises) -> list[checks.Ranking]:
        for kind in ("add", "fetch", "embed"):
            family = self._start(paths, server, kind)
            assert family.wait_for("end", 600), f"{kind} did not end: {family.errors}"
            assert not family.end(_END_SECONDS)
            promises.hear(family.said)
        settings = work.settings_for(paths)
        encoder = self._encoder = self._encoder or load_encoder(settings.encoder, paths)
        with Library.open(paths) as library:
            checks.assert_whole(library)
            checks.assert_kept(library, promises, encoder.name)
            assert all(filing.embedded == filing.chunks for filing in library.filings())
            generations = [path.name for path in paths.index.glob("generation-*")]
            assert len(generations) == 1, f"left over: {generations}"
            return checks.rankings(paths, library, settings, encoder, encoder.name)
