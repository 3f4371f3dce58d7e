"""Numbers about the service in the text form that Prometheus reads."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
HELP = {
    "infmcs_requests_total": "Requests answered, by route, method and status.",
    "infmcs_request_seconds": "Time to answer, by route.",
    "infmcs_abandoned_total": "Work ended because its client had left.",
    "infmcs_overload_total": "Requests told to come back later because no worker was free.",
    "infmcs_overtime_total": "Work ended because its time was over.",
    "infmcs_graphs": "Graphs in the index.",
    "infmcs_running": "Answers being worked on.",
    "infmcs_waiting": "Requests waiting for a worker.",
    "infmcs_open_requests": "Requests in any state.",
    "infmcs_resident_bytes": "Memory of the process.",
}


class Metrics:
    """Counters, a histogram of times, and gauges that are asked when somebody reads them.

    open      requests in any state; answered: all that no longer are.
    """

    def __init__(self) -> None:
        self.open = self.answered = 0
        self._counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self._times: dict[str, list[float]] = {}
        self._gauges: dict[str, Callable[[], float]] = {
            "infmcs_resident_bytes": resident_bytes,
            "infmcs_open_requests": lambda: self.open,
        }
        for name in ("infmcs_abandoned_total", "infmcs_overload_total", "infmcs_overtime_total"):
            self._counts[name][""] = 0

    def count(self, name: str, **labels: str) -> None:
        """One more of these."""
        self._counts[name][_labels(labels)] += 1

    def gauge(self, name: str, value: Callable[[], float]) -> None:
        """A number that is asked for whenever somebody reads."""
        self._gauges[name] = value

    def took(self, route: str, seconds: float) -> None:
        """One answer of a route and its time."""
        row = self._times.setdefault(route, [0.0] * (len(BUCKETS) + 2))
        for place, edge in enumerate(BUCKETS):
            row[place] += seconds <= edge
        row[-2] += 1
        row[-1] += seconds

    def text(self) -> str:
        """All of it."""
        lines: list[str] = []
        for name, rows in self._counts.items():
            lines += _head(name, "counter") + [f"{name}{labels} {value}" for labels, value in sorted(rows.items())]
        name = "infmcs_request_seconds"
        lines += _head(name, "histogram")
        for route, row in sorted(self._times.items()):
            for edge, value in zip((*BUCKETS, "+Inf"), row, strict=False):
                lines.append(f"{name}_bucket{_labels({'route': route, 'le': str(edge)})} {value:g}")
            lines.append(f"{name}_sum{_labels({'route': route})} {row[-1]:.6f}")
            lines.append(f"{name}_count{_labels({'route': route})} {row[-2]:g}")
        for name, ask in self._gauges.items():
            lines += [*_head(name, "gauge"), f"{name} {ask():g}"]
        return "\n".join(lines) + "\n"


def resident_bytes() -> float:
    """Memory of this process in use, where the system tells; else its greatest so far."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        import resource

        return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _head(name: str, kind: str) -> list[str]:
    return [f"# HELP {name} {HELP[name]}", f"# TYPE {name} {kind}"]


def _labels(labels: dict[str, str]) -> str:
    if not labels:
        return ""
    safe = {key: value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") for key, value in labels.items()}
    return "{" + ",".join(f'{key}="{value}"' for key, value in safe.items()) + "}"
