"""Figures of a server in the text format of Prometheus."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

#: Upper ends of the buckets of times, in seconds.
BUCKETS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


@dataclass
class Times:
    """A histogram of seconds."""

    counts: list[int] = field(default_factory=lambda: [0] * len(BUCKETS))
    total: int = 0
    sum: float = 0.0

    def add(self, seconds: float) -> None:
        self.total += 1
        self.sum += seconds
        for number, end in enumerate(BUCKETS):
            self.counts[number] += seconds <= end

    def lines(self, name: str, about: str) -> list[str]:
        buckets = [f'{name}_bucket{{le="{end:g}"}} {n}' for end, n in zip(BUCKETS, self.counts)]
        ends = [
            f'{name}_bucket{{le="+Inf"}} {self.total}',
            f"{name}_sum {self.sum:.6f}",
            f"{name}_count {self.total}",
        ]
        return [f"# HELP {name} {about}", f"# TYPE {name} histogram", *buckets, *ends]


@dataclass
class Metrics:
    """What a server has done and does. requests: by path and status."""

    requests: Counter[tuple[str, int]] = field(default_factory=Counter)
    prompt_tokens: int = 0
    reused_tokens: int = 0
    made_tokens: int = 0
    cancelled: int = 0
    failed: int = 0
    waiting: int = 0
    active: int = 0
    first_token: Times = field(default_factory=Times)
    whole_text: Times = field(default_factory=Times)

    def text(self) -> str:
        """The page that Prometheus reads."""
        lines = [
            "# HELP saccade_requests_total Requests by path and status.",
            "# TYPE saccade_requests_total counter",
        ]
        for (path, status), count in sorted(self.requests.items()):
            lines.append(f'saccade_requests_total{{path="{path}",status="{status}"}} {count}')
        for name, kind, about, value in (
            ("prompt_tokens_total", "counter", "Tokens of prompts.", self.prompt_tokens),
            (
                "reused_tokens_total",
                "counter",
                "Tokens of prompts that were read before.",
                self.reused_tokens,
            ),
            ("made_tokens_total", "counter", "Tokens of answers.", self.made_tokens),
            ("cancelled_total", "counter", "Texts whose clients left.", self.cancelled),
            ("failed_total", "counter", "Texts that could not be made.", self.failed),
            ("waiting", "gauge", "Requests that wait for a slot.", self.waiting),
            ("active", "gauge", "Texts in the making.", self.active),
        ):
            lines += [
                f"# HELP saccade_{name} {about}",
                f"# TYPE saccade_{name} {kind}",
                f"saccade_{name} {value}",
            ]
        lines += self.first_token.lines("saccade_first_token_seconds", "From a request to its first token.")
        lines += self.whole_text.lines("saccade_text_seconds", "From a request to the end of its text.")
        return "\n".join(lines) + "\n"
