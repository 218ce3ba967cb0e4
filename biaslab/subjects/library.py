"""The library of own subjects: add, remove and list them; ``bl.load`` opens them by name.

>>> import biaslab as bl
>>> bl.subjects.library.add("vectors.txt", name="mine")  # doctest: +SKIP
>>> bl.load("mine")  # doctest: +SKIP
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from biaslab.errors import ArgumentError, SubjectError
from biaslab.files.toml import parse_toml
from biaslab.people.activity import note
from biaslab.people.secret import keys_in
from biaslab.subjects.opening.inspection import inspect
from biaslab.subjects.opening.load import bundled_names
from biaslab.subjects.opening.names import (
    MODEL_KINDS,
    OwnSubject,
    drop,
    own_folder,
    own_subject,
    own_subjects,
    put,
)
from biaslab.subjects.pretrained.options import LoadingOptions

__all__ = [
    "OwnSubject",
    "add",
    "add_service",
    "discard_upload",
    "own_subject",
    "own_subjects",
    "remove",
    "restore",
]

_SERVICE_KINDS = ("chat", "http")
LONGEST_DESCRIPTION = 65_536
"""Characters of a service's description; a longer one is refused when it is opened."""
_VARIABLE = re.compile(r"[A-Za-z_]\w*")


def add(
    source: str | Path | Callable[[str], str],
    name: str | None = None,
    *,
    kind: str | None = None,
    hub: bool = False,
    uploaded: bool = False,
    options: Mapping[str, str] | None = None,
) -> OwnSubject:
    """Remember a subject under a name; `biaslab.load` and the benches open it by that name.

    Parameters
    ----------
    source : str, Path or callable
        An embedding file, the folder of an ensemble or a model, ``hf:NAME``,
        ``openai:MODEL@ADDRESS``; or a function of a text, which is remembered as long as this
        process runs.
    name : str, optional
        Default the name of the file, folder or function.
    kind : str, optional
        Kind of `biaslab.load` in place of the one that was found, such as "encoder" for a masked
        language model.
    hub : bool
        Whether the hub may be asked about ``hf:NAME``.
    uploaded : bool
        Whether the file lies in biaslab's own folder and goes with the subject.
    options : mapping of str to str, optional
        How a model is opened: options of `biaslab.load` such as ``{"quantize": "4bit"}``.

    Returns
    -------
    OwnSubject

    Raises
    ------
    SubjectError
        When it cannot be read, there is another subject of that name, or an option is wrong.
    """
    opening = LoadingOptions.of({}, options or {}).given
    info = inspect(source, hub=hub)
    chosen = checked_name(info.name if name is None else name)
    if not isinstance(source, str | Path):
        if info.kind != "function":
            raise ArgumentError(
                "The library remembers files, folders and functions. save() this subject, and add"
                " the file."
            )
        subject = OwnSubject(chosen, "function", added=_now(), function=source)
    else:
        chosen_kind = kind or info.kind
        if opening and chosen_kind not in MODEL_KINDS:
            raise SubjectError(
                f"{chosen} is no model of transformers: leave out {', '.join(opening)}."
            )
        subject = OwnSubject(
            chosen, chosen_kind, info.source, added=_now(), uploaded=uploaded, options=opening
        )
    put(subject)
    note("added", what="subject", name=chosen)
    return subject


def add_service(name: str, kind: str, service: Mapping[str, str]) -> OwnSubject:
    """Remember a chat model or an HTTP service.

    Parameters
    ----------
    name : str
    kind : {"chat", "http"}
    service : mapping of str to str
        ``address`` and ``model`` of a chat model, ``description`` (TOML) of an HTTP service;
        ``key_variable``, the name of the environment variable that holds the key.

    Raises
    ------
    SubjectError
        When a part is missing, or a key stands where the name of its variable is expected.
    """
    if kind not in _SERVICE_KINDS:
        raise SubjectError(f"kind={kind!r}: choose one of {', '.join(_SERVICE_KINDS)}.")
    variable = service.get("key_variable", "")
    if variable and not _VARIABLE.fullmatch(variable):
        raise SubjectError(
            "Give the name of the environment variable that holds the key, such as LAB_CHAT_KEY,"
            " and not the key itself."
        )
    _refuse_keys(service.get("description", ""))
    subject = OwnSubject(checked_name(name), kind, service=dict(service), added=_now())
    put(subject)
    note("added", what="service", name=subject.name)
    return subject


def _refuse_keys(description: str) -> None:
    try:
        keys = keys_in(parse_toml(description, longest=LONGEST_DESCRIPTION))
    except ValueError:
        return  # whoever opens it says what is wrong
    if keys:
        raise SubjectError(
            "This description has a key written out, which would be stored. Set an environment"
            " variable, and write {env:NAME} in its place."
        )


def remove(name: str) -> OwnSubject:
    """Forget an own subject; `restore` takes it back. Your files stay where they are.

    Raises
    ------
    SubjectError
        When there is no own subject of that name.
    """
    subject = own_subject(name)
    if subject is None:
        raise SubjectError(
            f"There is no subject {name!r} of your own. Yours are:"
            f" {', '.join(own_subjects()) or 'none'}."
        )
    if subject.shared_by:
        raise SubjectError(
            f"{name} was shared by {subject.shared_by}: only they, or the owner of the server, can"
            " withdraw it."
        )
    drop(name)
    note("deleted", what="subject", name=name)
    return subject


def restore(subject: OwnSubject) -> None:
    """Take back a subject that `remove` has returned.

    Raises
    ------
    SubjectError
        When there is another one of that name by now.
    """
    checked_name(subject.name)
    put(subject)


def discard_upload(subject: OwnSubject) -> None:
    """Delete the uploaded file of a removed subject for good."""
    path = Path(subject.source)
    if subject.uploaded and path.is_relative_to(own_folder()):
        path.unlink(missing_ok=True)


def checked_name(name: str) -> str:
    """Return a name without spaces around it, if it is free.

    Raises `SubjectError` when it is empty, reads as a path or a name of the hub, or is taken.
    """
    chosen = name.strip()
    if not chosen or len(chosen) > 80:
        raise SubjectError("Give the subject a name of 1 to 80 characters.")
    if (
        "/" in chosen
        or "\\" in chosen
        or chosen.startswith(("hf:", "gensim:", "spacy:", "openai:", ".", "~"))
    ):
        raise SubjectError(f"{chosen!r} reads as a path: leave out slashes and prefixes.")
    if chosen in bundled_names() or chosen in own_subjects():
        raise SubjectError(f"There is a subject {chosen!r} already. Choose another name.")
    return chosen


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
