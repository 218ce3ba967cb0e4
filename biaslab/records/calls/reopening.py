"""Pickle a subject as the call that opens it: joblib, Dask and multiprocessing open it again."""

from __future__ import annotations

import inspect
import itertools
import pickle
import threading
import uuid
from collections import deque
from collections.abc import Mapping
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from biaslab.records.calls.call import Call, Tree, call_in, named
from biaslab.records.calls.describing import NEVER_STORED, origin
from biaslab.records.calls.making import make

S = TypeVar("S", bound="Reopened")

_PROCESS: Final = uuid.uuid4().hex
_numbers = itertools.count()
_marks: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
_open: WeakValueDictionary[str, Any] = WeakValueDictionary()
_latest: deque[Any] = deque(maxlen=2)
"""Subjects opened from a pickle last: the next task of a worker asks the same one."""
_lock = threading.RLock()


class Reopened:
    """Base of subjects, which pickle as the recorded call that opened them.

    In the process in which it is open, a pickle gives back the subject itself; in another one it
    is opened again. Its vectors travel where it was made of vectors in memory.
    """

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        made_by = origin(self)
        why = _missing(made_by)
        if made_by is not None and why is None:
            return _reopened, (_mark(self), made_by)
        is_secret = why is not None and NEVER_STORED in why
        if not is_secret and (content := self._content()) is not None:
            return _restored, (_mark(self), type(self), content)
        name = getattr(self, "name", type(self).__name__)
        raise pickle.PicklingError(
            f"{name} cannot be sent to another process {why or 'because it is in memory only'}."
            " Open it inside the function that runs there."
        )

    def __copy__(self: S) -> S:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __deepcopy__(self: S, memo: object) -> S:
        return self

    def _content(self) -> Mapping[str, Any] | None:
        """Return the attributes that are pickled where the call is unknown; None to refuse."""
        content = dict(vars(self))
        try:
            pickle.dumps(content)
        except Exception:  # noqa: BLE001  # locks, functions and open files say it in many ways
            return None
        return content

    def _restore(self, content: Mapping[str, Any]) -> None:
        """Take the attributes that `_content` has returned."""
        self.__dict__.update(content)


def _mark(subject: Reopened) -> str:
    with _lock:
        mark = _marks.setdefault(subject, f"{_PROCESS} {next(_numbers)}")
        _open[mark] = subject
        return mark


def _reopened(mark: str, made_by: Tree) -> Any:
    with _lock:  # two threads open it once
        if (subject := _open.get(mark)) is None:
            subject = make(made_by)
            _keep(mark, subject)
        return subject


def _restored(mark: str, cls: type[Reopened], content: Mapping[str, Any]) -> Any:
    with _lock:
        if (subject := _open.get(mark)) is None:
            subject = object.__new__(cls)
            subject._restore(content)
            _keep(mark, subject)
        return subject


def _keep(mark: str, subject: Any) -> None:
    _marks[subject], _open[mark] = mark, subject
    _latest.append(subject)


def _missing(tree: Tree) -> str | None:
    """Return why a call cannot be made again elsewhere; None if it can."""
    if isinstance(tree, tuple | list):
        return next(filter(None, map(_missing, tree)), None)
    if not isinstance(tree, Mapping):
        return None
    if "missing" in tree:
        return f"without {tree['missing'] or 'an argument'} ({tree['why']})"
    if (call := call_in(tree)) is not None:
        if "trust_pickle" in call.arguments:
            return "because its file is a pickle, which only a person may trust"
        if _draws_anew(call):
            return f"because {call.function} without a seed draws another one"
    return next(filter(None, map(_missing, tree.values())), None)


def _draws_anew(call: Call) -> bool:
    """Return whether the same call may return something else: it has no seed."""
    if call.of is not None:
        return False
    parameters = inspect.signature(named(call.function)).parameters
    seeds = [name for name in ("seed", "rng") if name in parameters]
    return any(parameters[name].default is None and name not in call.arguments for name in seeds)
