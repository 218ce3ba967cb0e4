"""Background threads that end before the interpreter does.

Python ends a daemon thread wherever it is, as soon as it requests the interpreter's lock after
shutdown has begun. Inside compiled code, such as torch's, this aborts the process
(exit status 134). So at exit the threads started here are first asked to stop and then joined, for
`EXIT_S` seconds at most. They remain daemons: a thread that never returns does not keep a program
alive.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from biaslab.people.access import acting_as, carrying_access, current_access, without_access

T = TypeVar("T", bound=threading.Thread)

GRACE_S = 2.0
"""Grace period at exit, in seconds; then `SystemExit` is raised in the remaining threads."""
EXIT_S = 5.0
"""Upper limit on the delay at exit due to these threads, in seconds, grace period included."""

_exiting = threading.Event()
_threads: list[threading.Thread] = []
_stops: list[Callable[[], object]] = []
_lock = threading.RLock()


def start_thread(
    name: str, call: Callable[[], object], *, shared: bool = False
) -> threading.Thread:
    """Run `call` in a daemon thread that is joined at exit.

    - `shared`: whether it works for many people: it then begins with the access of none. Otherwise
      it works under the access of the caller.
    """
    with acting_as(without_access() if shared else current_access()):
        target = carrying_access(call)
    return _start(threading.Thread(target=target, name=name, daemon=True))


def start_timer(seconds: float, call: Callable[[], object]) -> threading.Timer:
    """Run `call` after `seconds` in its own thread; at exit it is cancelled."""
    timer = threading.Timer(seconds, carrying_access(call))
    timer.daemon = True
    return timer if _exiting.is_set() else _start(timer)


def on_exit(stop: Callable[[], object]) -> None:
    """Call `stop` at exit, before threads are joined; it should signal and return."""
    _stops.append(stop)


def is_exiting() -> bool:
    """Return whether the interpreter is about to exit, so that results are useless."""
    return _exiting.is_set()


def pause(seconds: float) -> bool:
    """Wait for `seconds`; return False at once if the interpreter is about to exit."""
    return not _exiting.wait(seconds)


def end_threads() -> None:
    """Ask all threads to end and wait, at most `EXIT_S` seconds; called at exit.

    To stop a server that the threads call, call this first. Ctrl-C ends the wait.
    """
    if _exiting.is_set():
        return
    _exiting.set()
    begun = time.monotonic()
    if not _alive():  # as in a forked process, where a stop may wait for a lock of the parent's
        return
    try:
        for stop in _stops:
            stop()
        for thread in _alive():
            if isinstance(thread, threading.Timer):
                thread.cancel()
        if not _join_until(begun + GRACE_S):
            for thread in _alive():
                _raise_exit_in(thread)
            _join_until(begun + EXIT_S)
    except KeyboardInterrupt:
        return


def _start(thread: T) -> T:
    thread.start()
    with _lock:
        _threads[:] = [*(running for running in _threads if running.is_alive()), thread]
    return thread


def _alive() -> list[threading.Thread]:
    with _lock:
        return [thread for thread in _threads if thread.is_alive()]


def _join_until(deadline: float) -> bool:
    """Wait until all threads have ended or the deadline passes; return whether they did."""
    # A thread may start another one as its last act.
    while (alive := _alive()) and (left := deadline - time.monotonic()) > 0:
        alive[0].join(left)
    return not alive


def _raise_exit_in(thread: threading.Thread) -> None:
    """Raise `SystemExit` in a thread as soon as it returns from compiled code."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit)
        )


def _forget_parent() -> None:
    global _lock
    _lock = threading.RLock()
    _threads.clear()


atexit.register(end_threads)
# A forked process inherits the parent's lock, possibly locked, and none of its threads.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parent)
