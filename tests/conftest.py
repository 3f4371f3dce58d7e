"""Settings for every test. Hypothesis has no deadlines here: a busy machine is no failure."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

settings.register_profile("infmcs", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("infmcs")

# A shell makes what it starts in the background ignore Ctrl-C, and children inherit that: tests that send it to a
# command would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
