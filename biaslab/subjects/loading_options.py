"""Options with which a model of transformers is opened, as one record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from biaslab.errors import SubjectError

DTYPES: Final = ("float32", "float16", "bfloat16")
"""Floating-point types in which a model may compute."""
QUANTIZATIONS: Final = ("4bit", "8bit")
"""Sizes of a weight to which a model may be quantised while it is opened."""
TEMPLATES: Final = ("auto", "plain", "chat", "chat without system prompt")
"""Ways to put a text to an instruction model."""
ATTENTIONS: Final = (
    "eager", "sdpa", "flash_attention_2", "flash_attention_3", "flex_attention",
)  # fmt: skip
"""Implementations of attention that transformers names."""


@dataclass(frozen=True)
class LoadingOptions:
    """Device, precision and version of a model to open.

    Attributes
    ----------
    device : str or None
        A torch device, such as "cpu" or "cuda:1"; "auto" spreads the model over all devices. None
        is the GPU if there is one.
    dtype : {"float32", "float16", "bfloat16"} or None
        Type in which it computes; None is float32 on a CPU, and as stored on a GPU.
    quantize : {"4bit", "8bit"} or None
        Size of a weight, by bitsandbytes on a CUDA device; None is as stored.
    attention : str or None
        Implementation of attention, such as "sdpa" or "eager"; None is that of transformers.
    revision : str or None
        Branch, tag or commit on the hub; None is the newest.
    template : str or None
        How a causal model is shown a text: "auto", "plain", "chat" or "chat without system
        prompt".

    Raises
    ------
    SubjectError
        When a value is none of these.
    """

    device: str | None = None
    dtype: str | None = None
    quantize: str | None = None
    attention: str | None = None
    revision: str | None = None
    template: str | None = None

    def __post_init__(self) -> None:
        if self.dtype is not None and self.dtype not in DTYPES:
            raise SubjectError(f"dtype={self.dtype!r}: a model computes in {', '.join(DTYPES)}.")
        choices = {"quantize": QUANTIZATIONS, "template": TEMPLATES}
        for name, allowed in choices.items():
            value = getattr(self, name)
            if value is not None and value not in allowed:
                raise SubjectError(f"{name}={value!r}: choose one of {', '.join(allowed)}.")
        if self.attention is not None and self.attention not in ATTENTIONS:
            raise SubjectError(
                f"attention={self.attention!r}: choose one of {', '.join(ATTENTIONS)}."
            )
        for name in ("device", "revision"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, str) or not value.strip()):
                raise SubjectError(f"{name}={value!r}: write it as text, or leave it out.")

    @classmethod
    def of(cls, given: Mapping[str, str | None], stored: Mapping[str, str]) -> LoadingOptions:
        """Return the given options, and for those left out the stored ones.

        Raises
        ------
        SubjectError
            When an option or its value is unknown.
        """
        if unknown := set(stored) - {field.name for field in fields(cls)}:
            raise SubjectError(
                f"{', '.join(sorted(unknown))}: no option of a model. Choose among"
                f" {', '.join(field.name for field in fields(cls))}."
            )
        return cls(**{**stored, **{name: v for name, v in given.items() if v is not None}})

    @property
    def given(self) -> dict[str, Any]:
        """Options that are not left to their defaults."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    def refuse(self, names: tuple[str, ...], what: str) -> None:
        """Refuse options that a kind of subject does not have.

        Parameters
        ----------
        names : tuple of str
            Options to refuse.
        what : str
            The subject with an article, such as "a translation model".

        Raises
        ------
        SubjectError
            When one of them was given.
        """
        if wrong := [name for name in names if name in self.given]:
            raise SubjectError(f"{what} takes no {' and no '.join(wrong)}. Leave it out.")


DEFAULTS: Final = LoadingOptions()
