"""Indexing takes every core it gets; people who search must come first."""

import contextlib
import os
from pathlib import Path

_AUTOGROUP = Path("/proc/self/autogroup")


def step_back(niceness: int) -> None:
    """Let every other process have the processor before this one."""
    if not niceness:
        return
    os.nice(niceness)
    # Linux may share the processor out by session; then niceness counts within one only, and what counts between
    # them is the session's own. It is ours to set where this process leads the session.
    if os.getsid(0) == os.getpid():
        with contextlib.suppress(OSError):
            _AUTOGROUP.write_text(str(niceness))
