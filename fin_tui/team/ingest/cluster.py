"""The owner of ray: a cluster, or this machine alone, and what is asked of it."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from fin_tui.errors import FinTuiError, MissingAsset
from fin_tui.ingest.pipeline import PARSER
from fin_tui.network import require_network
from fin_tui.team.ingest import steps
from fin_tui.team.ingest.steps import Embedder, Opened, Plan, Shelf
from fin_tui.version import __version__

_SCRATCH = "fin-tui-ray-"
_REACH_SECONDS = 10.0


def reach(address: str) -> None:
    """Raises ``OSError`` where nobody listens at ``HOST:PORT``: Ray itself would try for many minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), _REACH_SECONDS).close()


def scratch_folder() -> str:
    """A folder for Ray's sockets and logs; its path must be short. Those of processes that were killed go."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_SCRATCH}*"):
        owner = folder.name.removeprefix(_SCRATCH).partition("-")[0]
        if owner.isdigit() and Path("/proc/self").exists() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(folder, ignore_errors=True)
    return tempfile.mkdtemp(prefix=f"{_SCRATCH}{os.getpid()}-")


def end_all_of(scratch: str) -> None:
    """End what a start that failed has left running: Ray itself forgets it. Told by the folder that only we use (Linux)."""
    mark = scratch.encode()
    for entry in Path("/proc").glob("[0-9]*") if scratch else ():
        with contextlib.suppress(OSError):
            if mark in (entry / "cmdline").read_bytes() and int(entry.name) != os.getpid():
                os.kill(int(entry.name), signal.SIGKILL)


TRIES = 3
"""How often a step is done at most when its worker dies: a filing that kills its reader must not take the others along."""
_FILINGS_A_WORKER = 200
"""After so many a reading process is replaced, and with it what memory it did not give back."""
_STORE_BYTES = 1 << 30
_STARTS = 5
_START_SECONDS = 180.0


class Lost(Exception):
    """A worker died over a step as often as it was tried, or the step raised ``cause``."""

    def __init__(self, reason: str, cause: BaseException | None = None) -> None:
        super().__init__(reason)
        self.cause = cause


class Cluster:
    """Ray, connected. Use as a context manager, or call ``close``."""

    def __init__(self, address: str = "", cpus: int = 0) -> None:
        """``address`` is that of a running cluster; "" starts Ray here, reached from this machine alone, with ``cpus`` (0: all).

        Raises ``MissingAsset`` without ray, ``Offline`` when connections are forbidden, ``FinTuiError`` when there is none at the
        address or its machines have another version of this program.
        """
        require_network("ingest-corpus")
        self._ray = _imported(is_local=not address)
        self._scratch = "" if address else scratch_folder()
        try:
            self._connect(address, cpus)
            self.work = Work(self._ray)
            if address:
                self._check_machines()
        except BaseException:  # also interrupted: what was started must not go on by itself
            self.close()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End what is under way; a Ray that was started here ends too. Safe to call twice."""
        self._ray.shutdown()
        if self._scratch:
            end_all_of(self._scratch)
            shutil.rmtree(self._scratch, ignore_errors=True)

    @property
    def cores(self) -> int:
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    @property
    def gpus(self) -> int:
        return int(self._ray.cluster_resources().get("GPU", 0))

    def machines(self) -> list[tuple[Any, int]]:
        """How to place something on each machine, and the machine's cores."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        return [
            (NodeAffinitySchedulingStrategy(node["NodeID"], soft=True), int(node["Resources"].get("CPU", 0)))
            for node in self._ray.nodes()
            if node["Alive"]
        ]

    def share(self, value: object) -> Any:
        """A value that many tasks get, sent to each machine once."""
        return self._ray.put(value)

    def done(self, refs: Sequence[Any], seconds: float) -> list[Any]:
        """Those of ``refs`` that are ready, waiting up to ``seconds`` for one."""
        if not refs:
            return []
        self._ray.wait(list(refs), num_returns=1, timeout=seconds)
        ready, _ = self._ray.wait(list(refs), num_returns=len(refs), timeout=0)
        return list(ready)

    def value(self, ref: Any) -> Any:
        """What came of a step; raises :class:`Lost`."""
        try:
            return self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            raise Lost(_line(error.cause), error.cause) from error
        except self._ray.exceptions.RayError as error:
            raise Lost(_line(error)) from error

    def embedders(self, plan: Plan) -> tuple[list[Any], Opened]:
        """One a GPU where the encoder can use one, else one a machine with all its cores but one; all with their weights loaded.

        Raises the ``FinTuiError`` of one that can't, or when their weights differ.
        """
        wanted = hired(plan.settings.encoder.kind, self.gpus, self.machines())
        actors = [self.work.embedder.options(**options).remote(plan, has_gpu=has_gpu) for options, has_gpu in wanted]
        opened = set(self._within([embedder.open.remote() for embedder in actors], "load the encoder"))
        if len(opened) > 1:
            names = ", ".join(sorted({answer.name for answer in opened}))
            raise FinTuiError(f"The machines have different encoder weights: {names}", "Bring the same to all of them.")
        return actors, opened.pop()

    def _connect(self, address: str, cpus: int) -> None:
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
        if address:
            tries, where = 1, f"There is no Ray at {address}"
            hint = "ray start --head on one machine, ray start --address=HOST:6379 on the others, this one among them."
            options |= {"address": address}
        else:
            # Ray gives its processes 30 s: on a busy machine that may be too little the first time.
            tries, where, hint = _STARTS, "Ray can't be started here", "Is the machine very busy, or out of memory? Try again."
            # A core reads while the others make vectors.
            cores = {"num_cpus": max(2, cpus or os.cpu_count() or 1), "object_store_memory": _STORE_BYTES}
            options |= {"address": "local", "include_dashboard": False, "_temp_dir": self._scratch, **cores}
        for left in reversed(range(tries)):
            try:
                reach(address)
                self._ray.init(**options)
                return
            except Exception as error:  # Ray raises a bare Exception, too
                self._ray.shutdown()
                end_all_of(self._scratch)
                if not left:
                    raise FinTuiError(f"{where}: {_line(error)}", hint) from error

    def _check_machines(self) -> None:
        asked = [self.work.version.options(scheduling_strategy=place).remote() for place, _ in self.machines()]
        for host, version, parser in self._within(asked, "say which version of fin-tui they have"):
            if (version, parser) != (__version__, PARSER):
                raise FinTuiError(
                    f"{host} has fin-tui {version} (parser {parser}), this machine {__version__} (parser {PARSER})",
                    "Install the same on all machines: a corpus is read by one parser.",
                )

    def _within(self, asked: list[Any], what: str) -> list[Any]:
        try:
            answers: list[Any] = self._ray.get(asked, timeout=_START_SECONDS)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, FinTuiError):
                hint = f"{error.cause.hint} Every machine needs it at that place.".strip()
                raise type(error.cause)(error.cause.message, hint) from error
            raise FinTuiError(f"A machine could not {what}: {_line(error.cause)}", "Install fin-tui[team] on all.") from error
        except self._ray.exceptions.RayError as error:
            raise FinTuiError(f"The machines did not {what}: {_line(error)}", "ray status says what they lack.") from error
        return answers


class Work:
    """Our steps as Ray knows them. Reading and preparing take a core; storing mostly waits for the server."""

    def __init__(self, ray: Any) -> None:
        retried = {"max_retries": TRIES - 1, "num_cpus": 1}
        again = {"max_restarts": -1, "max_task_retries": TRIES - 1}
        self.read = ray.remote(num_returns=3, max_calls=_FILINGS_A_WORKER, **retried)(steps.read)
        self.ready = ray.remote(max_calls=_FILINGS_A_WORKER, **retried)(_ready)
        self.version = ray.remote(num_cpus=0)(_version)
        self.embedder = ray.remote(**again)(Embedder)
        self.shelf = ray.remote(num_cpus=0, **again)(Shelf)


def hired(kind: str, gpus: int, machines: Sequence[tuple[Any, int]]) -> list[tuple[dict[str, Any], bool]]:
    """What Ray is to give each embedder, and whether that is a GPU. ``kind`` is the encoder's: ONNX runs on processors alone."""
    if gpus and kind == "sentence-transformers":
        return [({"num_gpus": 1, "num_cpus": 0}, True)] * gpus
    # All cores but one: what is left reads. A machine with one core shares it.
    return [({"num_cpus": max(0, cores - 1), "scheduling_strategy": place}, False) for place, cores in machines]


def _ready(path: str, placed: Any, entry: Any, *parts: Any) -> Any:
    """Ray fetches what stands in the arguments themselves, not in a list of them."""
    return steps.ready(path, placed, entry, parts)


def _version() -> tuple[str, str, int]:
    import platform

    return platform.node(), __version__, PARSER


def _imported(*, is_local: bool) -> Any:
    """The ray package, told before it is loaded what it only then reads. Raises ``MissingAsset``."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if is_local and "ray" not in sys.modules:
        # By this switch Ray listens on the loopback address alone; without a token any user of the machine could send it work.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        if "RAY_AUTH_MODE" not in os.environ:
            os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise MissingAsset("Filling a corpus needs ray, which is not installed", "pip install 'fin-tui[team]'") from error
    return ray


def _line(error: BaseException) -> str:
    """The first line of what an error says."""
    said = str(error).strip().splitlines()
    return said[0].strip() if said else type(error).__name__
