"""What child processes need from the app's process."""

from __future__ import annotations


def start_process_tracker() -> None:
    """Start multiprocessing's resource tracker while standard error is still the real one.

    Textual replaces ``sys.stderr`` by an object whose ``fileno()`` is -1, and the tracker, which every spawned process
    needs, hands that number to the system when it is started later.
    """
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()
