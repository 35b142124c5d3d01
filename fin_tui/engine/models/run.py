"""The figures of one generation, and its bytes on the way to text."""

from __future__ import annotations

import codecs
import time

from fin_tui.engine.models.protocol import Done, StopReason


class Run:
    """One generation. ``decoder`` holds back the bytes of an incomplete character."""

    def __init__(self, prompt: list[int], reused: int) -> None:
        self.prompt, self.reused = len(prompt), reused
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.began = self.first = 0.0
        self.count = self.shown = 0
        self.reason: StopReason = "end"

    def done(self, request: int) -> Done:
        now = time.perf_counter()
        first = self.first or now
        read_ms, wrote_ms = (first - self.began) * 1000, (now - first) * 1000
        return Done(request, self.reason, self.prompt, self.reused, self.count, read_ms, wrote_ms)
