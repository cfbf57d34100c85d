"""The table of a sweep, what it comes to, the worst ten, and a plot of all ratios.

A row is what a worker told of a case: seconds of ours, eager and compiled, or an error. The ratio is the
best peer's time over ours: above 1, ours is faster.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log, log2
from typing import Any, Final

Row = dict[str, Any]
Rows = Mapping[str, Row]

#: what `--check` allows between the scheduler's estimate and the measured time of kernels
APART: Final = 3.0


def ratio_of(row: Row) -> float | None:
    if "ours" not in row:
        return None
    return float(min(row["eager"], row.get("compiled", row["eager"])) / row["ours"])


def ratios_of(rows: Rows) -> dict[str, float]:
    """Of those that were measured, least first."""
    found = {key: r for key, row in rows.items() if (r := ratio_of(row)) is not None}
    return dict(sorted(found.items(), key=lambda item: item[1]))


def mean_of(ratios: Mapping[str, float]) -> float:
    return exp(sum(map(log, ratios.values())) / len(ratios)) if ratios else float("nan")


def table(rows: Rows) -> str:
    """In the order of the rows."""
    lines = ["| program, shape, type | ours µs | eager µs | compiled µs | ratio |", "|---|---|---|---|---|"]
    for key, row in rows.items():
        if "error" in row:
            lines.append(f"| {key} | {row['error']} | | | |")
            continue
        times = [row["ours"], row["eager"], row.get("compiled")]
        shown = " | ".join("" if seconds is None else f"{seconds * 1e6:.1f}" for seconds in times)
        again = " (again)" if row.get("again") else ""
        lines.append(f"| {key} | {shown} | {ratio_of(row):.2f}{again} |")
    return "\n".join(lines)


def summary(rows: Rows, figure: float) -> str:
    ratios = ratios_of(rows)
    eager = {k: rows[k]["eager"] / rows[k]["ours"] for k in ratios}
    failed = [key for key, row in rows.items() if "error" in row]
    below = [k for k, r in ratios.items() if r < figure]
    lines = [
        f"{len(rows)} cases, {len(failed)} failed, {len(below)} below {figure}",
        f"geometric mean {mean_of(ratios):.2f} of the best peer, {mean_of(eager):.2f} of eager",
    ]
    by_family: dict[str, dict[str, float]] = {}
    for key, ratio in ratios.items():
        by_family.setdefault(rows[key].get("family", ""), {})[key] = ratio
    for family, some in sorted(by_family.items()):
        least = min(some, key=lambda k: some[k])
        told = f"{len(some):4d} cases, mean {mean_of(some):.2f}, least {some[least]:.2f} ({least})"
        lines.append(f"  {family:12s} {told}")
    return "\n".join([*lines, *(f"failed: {key}: {rows[key]['error']}" for key in failed)])


def worst(rows: Rows, count: int = 10) -> str:
    """The least ratios, and our slowest kernel in each."""
    lines = []
    for key, ratio in list(ratios_of(rows).items())[:count]:
        row = rows[key]
        kernel = (
            f": {row['kernel']}, {row['share']:.0%} of {row['kernels']} kernels, {row['why']}"
            if "kernel" in row
            else ""
        )
        lines.append(f"{ratio:.2f} {key}{kernel}")
    return "\n".join(lines)


def misjudged(rows: Rows) -> dict[str, float]:
    """Measured over estimated seconds of all kernels, where they are too far apart, farthest first."""
    found = {
        k: r["measured"] / r["estimate"] for k, r in rows.items() if r.get("estimate") and r.get("measured")
    }
    far = {k: v for k, v in found.items() if not 1 / APART <= v <= APART}
    return dict(sorted(far.items(), key=lambda item: -abs(log(item[1]))))


def plot(rows: Rows, title: str) -> str:
    """All ratios, least first, on a logarithmic axis; a dot a case."""
    ratios = ratios_of(rows)
    width, height, left, top = 900, 320, 50, 30
    low, high = -4.0, 4.0

    def y_of(ratio: float) -> float:
        return top + (high - max(low, min(high, log2(ratio)))) / (high - low) * (height - 2 * top)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"',
        ' font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="16">{title}</text>',
    ]
    for power in range(int(low), int(high) + 1):
        y = y_of(2.0**power)
        colour = "#333" if power == 0 else "#ddd"
        parts.append(f'<line x1="{left}" x2="{width - 10}" y1="{y:.1f}" y2="{y:.1f}" stroke="{colour}"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{2.0**power:g}</text>')
    for number, (key, ratio) in enumerate(ratios.items()):
        x = left + (number + 0.5) / len(ratios) * (width - left - 10)
        colour = "#c33" if ratio < 0.85 else "#c90" if ratio < 0.95 else "#283"
        label = key.replace("&", "&amp;").replace("<", "&lt;")
        dot = f'<circle cx="{x:.1f}" cy="{y_of(ratio):.1f}" r="2" fill="{colour}">'
        parts.append(f"{dot}<title>{label}: {ratio:.2f}</title></circle>")
    return "\n".join([*parts, "</svg>", ""])
