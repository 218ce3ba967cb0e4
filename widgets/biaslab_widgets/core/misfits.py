"""Known subjects that a bench cannot ask: why, and which bench can."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from biaslab.errors import BiaslabError
from biaslab.subjects.opening.inspection import SubjectInfo, inspect
from biaslab.subjects.opening.load import bundled_names
from biaslab.subjects.opening.names import own_subject
from biaslab.subjects.opening.needs import Fit, group_of
from biaslab_widgets.core.messages import message
from biaslab_widgets.core.records import Message, Misfit


def misfits_of(bench: str, infos: Iterable[SubjectInfo]) -> list[Misfit]:
    """Return those subjects that a bench cannot ask.

    Parameters
    ----------
    bench : str
        Name of its front-end module, such as "word-lists".
    infos : iterable of SubjectInfo

    Returns
    -------
    list of Misfit
        Empty for a bench that asks nothing.
    """
    found = (_misfit(bench, info) for info in infos)
    return [one for one in found if one is not None]


def why_not(
    name: str, bench: str, known: Sequence[Misfit], back: Mapping[str, Any] | None
) -> Message | None:
    """Return the message on a subject that was named and does not fit; None where it fits.

    Parameters
    ----------
    name : str
        What was named.
    bench : str
        Name of the bench's front-end module.
    known : sequence of Misfit
        Of the app; in a notebook empty, and the subject is looked up in the library.
    back : mapping or None
        The action that leads back to a subject that fits; None where there is none.
    """
    misfit = next((one for one in known if one["name"] == name), None) or _looked_up(name, bench)
    if misfit is None:
        return None
    text = f"This bench {misfit['reason']}; {name} is {_with_article(misfit['what'])}."
    actions: list[Mapping[str, Any]] = []
    if misfit["bench"]:
        text += f" Ask it in {misfit['bench']}."
        actions.append(
            {"label": f"Open {misfit['bench']}", "page": f"{misfit['page']}?subject={quote(name)}"}
        )
    if back is not None:
        actions.append(back)
    return message(f"{name} does not fit this bench", text, *actions)


def _looked_up(name: str, bench: str) -> Misfit | None:
    if name in bundled_names() or own_subject(name) is not None:
        with suppress(BiaslabError, OSError):
            return _misfit(bench, inspect(name))
    return None


def _misfit(bench: str, info: SubjectInfo) -> Misfit | None:
    here = next((fit for fit in info.questions if _slug(fit) == bench), None)
    if here is None or here.fits:
        return None
    other = next((fit for fit in info.questions if fit.fits), None)
    return {
        "name": info.name,
        "group": group_of(info.kind),
        "what": info.kind_title,
        "reason": here.reason,
        "bench": "" if other is None else other.name.replace("_", " ").capitalize(),
        "page": "" if other is None else _slug(other),
    }


def _slug(fit: Fit) -> str:
    return fit.name.replace("_", "-")


def _with_article(what: str) -> str:
    return f"{'an' if what[:1].lower() in 'aeiou' else 'a'} {what}"
