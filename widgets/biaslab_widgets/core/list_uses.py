"""Which benches can use a spec's word lists, and what each of them is set to then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from biaslab.images.drawn import drawable
from biaslab.specs import Spec, entries
from biaslab_widgets.core.word_lists import lists_of

ADDRESS: Final = "word-lists"
"""Parameter of a bench's address: the spec whose lists it opens with."""

Inputs = Mapping[str, Any]


def _association(spec: Spec) -> Inputs | None:
    lists = [w for w in lists_of(spec) if w.get("kind") in ("groups", "attributes", "controls")]
    return {"lists": lists} if len(spec.groups) > 1 and len(spec.attributes) > 1 else None


def _occupations(spec: Spec) -> Inputs | None:
    if spec.items:
        return {"words": list(spec.items)}
    groups = [{"name": name, "terms": list(terms)} for name, terms in spec.groups.items()]
    return {"groups": groups} if len(groups) > 1 and not spec.attributes else None


def _posterior(spec: Spec) -> Inputs | None:
    groups = [w for w in lists_of(spec) if w.get("kind") == "groups"]
    return {"lists": groups[:2]} if len(groups) > 1 else None


def _psychometric(spec: Spec) -> Inputs | None:
    inputs: dict[str, Any] = {}
    if spec.cue_pairs:
        inputs |= {"pairs": [list(pair) for pair in spec.cue_pairs], "selected_pairs": [0]}
    if spec.items:
        inputs |= {"words": list(spec.items), "word": spec.items[0]}
    return inputs or None


def _sentences(spec: Spec) -> Inputs | None:
    tied = [name for name in spec.attributes if spec.attribute_groups.get(name)]
    if len(spec.groups) < 2 or not tied or _images(spec):
        return None
    return {"lists": lists_of(spec), "spec": spec.name}


def _images(spec: Spec) -> Inputs | None:
    terms = [term for group in spec.groups.values() for term in group]
    can_be_drawn = bool(terms) and all(drawable(term) is not None for term in terms)
    if len(spec.groups) < 2 or len(spec.attributes) < 2 or not can_be_drawn:
        return None
    return {"lists": lists_of(spec), "spec": spec.name}


USES: Final[Mapping[str, Callable[[Spec], Inputs | None]]] = {
    "association": _association,
    "occupations": _occupations,
    "psychometric": _psychometric,
    "sentences": _sentences,
    "images": _images,
    "posterior": _posterior,
}
"""By the bench's address: its inputs with these lists; None where they do not fit."""


def uses_of(spec: Spec) -> list[str]:
    """The addresses of the benches that can use a spec's lists, without them."""
    return [slug for slug, use in USES.items() if use(spec) is not None]


def inputs_with(slug: str, names: Sequence[bytes]) -> Inputs | None:
    """What a bench is set to with the lists that its page's address names; None without any.

    Only lists of the catalogue are looked at: a name is no path of the server.
    """
    name, use = names[-1].decode("utf-8", "replace") if names else "", USES.get(slug)
    spec = next((one.spec for one in entries() if one.name == name), None)
    return None if spec is None or use is None else use(spec)
