"""What the constructors of all benches share: ``Bench(subject, spec, **options)``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, TypeVar, get_origin, is_typeddict

import biaslab as bl
from biaslab.errors import ArgumentError
from biaslab_widgets.core.fields import Component, Field

V = TypeVar("V")
INTERNAL = ("generation", "command")
"""Inputs that belong to the front end."""


def renamed(options: dict[str, Any], value: V, default: V, new: str, old: str) -> V:
    """The value of an argument that may be given by its older name.

    Parameters
    ----------
    options : dict of str to Any
        All keyword arguments; the older name is taken out.
    value, default : Any
        The argument of the new name, and its default.
    new, old : str

    Raises
    ------
    TypeError
        When both are given.
    """
    if old not in options:
        return value
    if value is not default:
        raise TypeError(f"{old!r} is the older name of {new!r}. Pass one of them.")
    given: V = options.pop(old)
    return given


def given_spec(spec: bl.specs.Spec | str, *needs: str) -> bl.specs.Spec:
    """A spec, or the one of a name, that has at least one kind of list that a bench needs.

    Raises
    ------
    ArgumentError
        When it is no spec, or has none of them; says what to pass.
    """
    found = bl.specs.get(spec) if isinstance(spec, str) else spec
    if not isinstance(found, bl.specs.Spec):
        raise ArgumentError(
            f"spec is a {type(spec).__name__}. Pass a Spec or the name of one, such as "
            "'gender-pairs'."
        )
    if not any(getattr(found, need) for need in needs):
        kinds = " nor ".join(need.replace("_", " ") for need in needs)
        raise ArgumentError(
            f"The spec {found.name!r} has neither {kinds}, which this bench needs. "
            "bl.specs.names() lists the specs of the catalogue."
        )
    return found


def options_of(component: Component) -> list[Field]:
    """The inputs that a person can give as options."""
    return [field for field in component.inputs if field.name not in INTERNAL]


def signature_of(init: Any, component: Component) -> inspect.Signature:
    """The signature of a constructor in which each option has its name, type and default."""
    own = list(inspect.signature(init).parameters.values())[1:]
    named = [p for p in own if p.kind is not inspect.Parameter.VAR_KEYWORD]
    taken = {p.name for p in named}
    options = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.initial(),
            annotation=kind(field),
        )
        for field in options_of(component)
        if field.name not in taken
    ]
    return inspect.Signature([*named, *options])


def documented(of: type, component: Component) -> str:
    """A class's docstring with every option: what it means, and what it can be."""
    taken = inspect.signature(of.__init__).parameters  # type: ignore[misc]  # of the class itself
    lines = ["Other Parameters", "----------------"]
    for field in options_of(component):
        if field.name in taken:
            continue
        lines += [f"{field.name} : {kind(field)}, default {field.default!r}", f"    {about(field)}"]
    head, examples, tail = inspect.cleandoc(of.__doc__ or "").partition("\nExamples\n")
    return f"{head.rstrip()}\n\n" + "\n".join(lines) + f"\n{examples}{tail}"


def kind(field: Field) -> str:
    """The type of a field in words."""
    if field.choices:
        return "{" + ", ".join(repr(choice) for choice in field.choices) + "}"
    if is_typeddict(field.type):
        return "dict"
    if get_origin(field.type) is list:
        return "list"
    return str(field.type.__name__)


def about(field: Field) -> str:
    """What a field means, with its bounds."""
    if field.low is None:
        return field.doc
    most = "" if field.high is None else f" to {field.high:g}"
    return f"{field.doc} From {field.low:g}{most}."


def lists_of(given: Any) -> tuple[Any, Any]:
    """Words and groups of what a bench over words is given: a spec, groups by name, or words.

    None stands for what the given one does not have.
    """
    if given is None:
        return None, None
    if isinstance(given, str | bl.specs.Spec):
        spec = given_spec(given, "items", "groups", "cue_pairs")
        return (
            spec if spec.items else None,
            spec if spec.groups or spec.cue_pairs else None,
        )
    return (None, given) if isinstance(given, Mapping) else (given, None)
