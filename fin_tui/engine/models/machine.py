"""What this machine has: cores that compute, memory, and a name for its processor."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")
_CGROUP_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def physical_cores() -> int:
    """Cores this process may use, counted without hyper-threads and within a container's quota; at least 1."""
    if sys.platform == "darwin":
        cores = _sysctl("hw.perflevel0.physicalcpu") or _sysctl("hw.physicalcpu") or os.cpu_count() or 1
    else:
        allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
        cores = cores_in(_read(_CPUINFO), allowed) or len(allowed)
    return max(1, min(cores, quota_in(_read(_CGROUP_QUOTA)) or cores))


def cores_in(cpuinfo: str, allowed: set[int]) -> int:
    """How many different cores the ``allowed`` processors of a Linux cpuinfo text stand on; 0 when it does not say."""
    cores: set[tuple[str, str]] = set()
    for entry in cpuinfo.split("\n\n"):
        fields = _fields(entry)
        if "core id" in fields and int(fields.get("processor", "-1")) in allowed:
            cores.add((fields.get("physical id", ""), fields["core id"]))
    return len(cores)


def quota_in(cpu_max: str) -> int:
    """Whole cores that a cgroup's ``cpu.max`` grants, rounded up; 0 when it sets no limit."""
    parts = cpu_max.split()
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        return 0
    return -(-int(parts[0]) // int(parts[1]))


def memory_bytes() -> int:
    """Physical memory; 0 when the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return 0


def peak_memory() -> int:
    """Most bytes this process ever had resident."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def processor() -> str:
    """A name that changes when the kernels chosen for this machine would: model and its vector instructions."""
    if sys.platform == "darwin":
        return f"{platform.machine()} {_sysctl_text('machdep.cpu.brand_string')}".strip()
    fields = _fields(_read(_CPUINFO).split("\n\n")[0])
    flags = fields.get("flags", fields.get("Features", "")).split()
    vector = [flag for flag in flags if flag.startswith(("avx", "amx", "f16c", "fma", "asimd", "sve", "i8mm"))]
    return f"{fields.get('model name', platform.machine())} [{' '.join(sorted(vector))}]"


def _fields(entry: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in entry.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _sysctl(name: str) -> int:
    text = _sysctl_text(name)
    return int(text) if text.isdigit() else 0


def _sysctl_text(name: str) -> str:
    try:
        done = subprocess.run(["sysctl", "-n", name], capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
