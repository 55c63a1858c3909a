"""What a parser child gives up before it sees a document: network, privileges, memory, files."""

import codecs
import contextlib
import ctypes
import encodings
import math
import os
import pkgutil
import pwd
import resource
import signal
import sys
from typing import Any

_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_CAPABILITY_VERSION_3 = 0x20080522
_NOBODY = 65534
_OPEN_FILES = 32


def load_codecs() -> None:
    """Import every text encoding now: once confined, the interpreter's own files may be out of reach."""
    for module in pkgutil.iter_modules(encodings.__path__):
        with contextlib.suppress(LookupError):
            codecs.lookup(module.name)


def confine(*, memory_bytes: int, parent: int) -> bool:
    """Give up what a parser does not need, and die with the parent; True if the network is gone."""
    # A stop signal to all is for the parent, which may let a document be finished; its death ends us.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    libc: Any = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
    offline = os.geteuid() == 0 and _leave_network(libc, _CLONE_NEWNET)
    _become_nobody()
    offline = offline or _leave_network(libc, _CLONE_NEWUSER | _CLONE_NEWNET)
    _limit(resource.RLIMIT_AS, memory_bytes)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    if libc is not None:
        _drop_capabilities(libc)
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        # Last, because a change of user clears it.
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)
    return offline


def allow_cpu(seconds: float) -> None:
    """Let this process use so much more processor time, then die by SIGXCPU."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    limit = math.ceil(usage.ru_utime + usage.ru_stime + seconds) + 1
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _leave_network(libc: Any, flags: int) -> bool:
    return libc is not None and libc.unshare(flags) == 0


def _become_nobody() -> None:
    if os.geteuid() != 0:
        return
    try:
        entry = pwd.getpwnam("nobody")
        user, group = entry.pw_uid, entry.pw_gid
    except KeyError:
        user = group = _NOBODY
    os.setgroups([])
    os.setgid(group)
    os.setuid(user)


def _drop_capabilities(libc: Any) -> None:
    # A new user namespace hands out every capability inside itself, and so more of the kernel to attack.
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    libc.capset(ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)()))


def _limit(which: int, value: int) -> None:
    # Not every system knows every limit; the parent watches time and memory in any case.
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(which, (value, value))
