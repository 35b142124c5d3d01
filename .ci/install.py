"""Install the pinned packages and the project into the interpreter that runs this: ``install.py [SECTION...]``, the sections of
constraints.txt to install beside the first: development, audit, team.

Only two packages need care, and the rest follows constraints.txt to the letter:

- torch: on Linux its default build brings gigabytes of CUDA libraries. It is taken from TORCH_INDEX when that is set, and left
  out when what pip would choose needs CUDA: the program then uses the ONNX encoder.
- llama-cpp-python: taken from LLAMA_INDEX when that is set, else compiled, without its vision part and without AMX kernels.
"""

from __future__ import annotations

import compileall
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
BY_HAND = ("pip", "torch", "llama-cpp-python")


def main(arguments: list[str]) -> int:
    pins = read_pins(CONSTRAINTS.read_text(encoding="utf-8"), arguments)
    pip("install", "--quiet", pins["pip"])
    with tempfile.TemporaryDirectory() as folder:
        rest = Path(folder) / "requirements.txt"
        rest.write_text("\n".join(pin for name, pin in pins.items() if name not in BY_HAND), encoding="utf-8")
        say(f"Installing {len(pins) - len(BY_HAND)} packages")
        pip("install", "--quiet", "--no-deps", "--requirement", str(rest))
    install_torch(pins["torch"])
    install_llama(pins["llama-cpp-python"])
    pip("install", "--quiet", "--no-deps", "--editable", str(ROOT))
    # Else each start compiles anew where Python is told to write no bytecode, and the first one does everywhere.
    compileall.compile_dir(ROOT / "fin_tui", quiet=1)
    return 0


def read_pins(text: str, sections: list[str]) -> dict[str, str]:
    """Package -> "package==version", of what stands before the first ``# section: NAME`` and of the sections named."""
    first, *rest = text.split("# section: ")
    parts = {part.splitlines()[0].strip(): part.partition("\n")[2] for part in rest}
    if unknown := set(sections) - set(parts):
        sys.exit(f"constraints.txt has no section {', '.join(sorted(unknown))}; it has {', '.join(parts)}")
    lines = (line.strip() for part in [first, *(parts[name] for name in sections)] for line in part.splitlines())
    return {line.partition("==")[0]: line for line in lines if line and not line.startswith("#")}


def install_torch(pin: str) -> None:
    index = os.environ.get("TORCH_INDEX", "")
    where = ("--extra-index-url", index) if index else ()
    if not index and platform.system() == "Linux" and needs_cuda(pin):
        say("torch is left out: the build for this machine needs gigabytes of CUDA. The program uses its ONNX encoder.")
        say("To have torch, name the index of its CPU build: make run TORCH_INDEX=https://...")
        return
    say("Installing torch")
    pip("install", "--quiet", "--constraint", str(CONSTRAINTS), *where, pin)


def needs_cuda(pin: str) -> bool:
    """Whether pip would bring CUDA libraries with ``pin``; asked without downloading them."""
    if subprocess.run([sys.executable, "-c", "import torch"], capture_output=True, check=False).returncode == 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        pip("install", "--quiet", "--dry-run", "--ignore-installed", "--report", str(report), pin)
        chosen = json.loads(report.read_text(encoding="utf-8"))["install"]
    return any(item["metadata"]["name"].startswith(("nvidia-", "cuda-")) for item in chosen)


def install_llama(pin: str) -> None:
    command = ["install", "--quiet", "--no-deps"]
    if index := os.environ.get("LLAMA_INDEX"):
        say("Installing llama-cpp-python, prebuilt")
        pip(*command, "--prefer-binary", "--extra-index-url", index, pin)
        return
    say("Compiling llama-cpp-python (about 6 minutes on two cores)")
    options = ["-DLLAVA_BUILD=OFF"]
    if without_amx := amx_switch():
        options += [f"-DCMAKE_C_FLAGS={without_amx}", f"-DCMAKE_CXX_FLAGS={without_amx}"]
        command.append("--no-cache-dir")
    given = os.environ.get("CMAKE_ARGS", "")
    pip(*command, pin, CMAKE_ARGS=f"{' '.join(options)} {given}".strip())


def amx_switch() -> str:
    """The compiler's switch against AMX, on a processor that has it.

    GCC before 12.4 and 13.3 drops the stores of the tile configuration, and the first long prompt ends the process with a
    fault. A wheel in pip's cache may have been compiled without the switch, so it is not taken from there.
    """
    try:
        has_amx = "amx_int8" in Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""
    return "-mno-amx-int8" if has_amx else ""


def pip(*arguments: str, **environment: str) -> None:
    """Run pip; ends the program with its status when it fails."""
    command = [sys.executable, "-m", "pip", *arguments, "--disable-pip-version-check", "--no-input"]
    status = subprocess.run(command, env={**os.environ, **environment}, check=False).returncode
    if status != 0:
        say(f"pip {arguments[0]} failed; what was installed so far stays, and the next run goes on from there.")
        sys.exit(status)


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
