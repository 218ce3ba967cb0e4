"""Options with which a model is opened, and the devices on which they place it."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from biaslab.errors import MissingExtraError, SubjectError

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

    - `device`: a torch device, such as "cpu" or "cuda:1"; "auto" spreads the model over all
      devices. None is the GPU if there is one.
    - `dtype`, {"float32", "float16", "bfloat16"} or None: type in which it computes; None is
      float32 on a CPU, and as stored on a GPU.
    - `quantize`, {"4bit", "8bit"} or None: size of a weight, by bitsandbytes on a CUDA device; None
      is as stored.
    - `attention`: implementation of attention, such as "sdpa" or "eager"; None is that of
      transformers.
    - `revision`: branch, tag or commit on the hub; None is the newest.
    - `template`: how a causal model is shown a text: "auto", "plain", "chat" or "chat without
      system prompt".
    - Raises `SubjectError` when a value is none of these.
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

        Raises `SubjectError` when an option or its value is unknown.
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

        - `names`: options to refuse.
        - `what`: the subject with an article, such as "a translation model".
        - Raises `SubjectError` when one of them was given.
        """
        if wrong := [name for name in names if name in self.given]:
            raise SubjectError(f"{what} takes no {' and no '.join(wrong)}. Leave it out.")


DEFAULTS: Final = LoadingOptions()


_EXTRA = "pip install 'biaslab[large]'"
SERVER_HINT = (
    "serve it with llama.cpp, vLLM or Ollama, and open that server:"
    " bl.load('openai:MODEL@http://127.0.0.1:PORT/v1')"
)
"""What to do with files that only another program reads."""


def choose_device(requested: str | None) -> str:
    """Return the requested device, else the GPU if there is one.

    Raises `SubjectError` when it is not there.
    """
    import torch

    if requested is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=requested)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).partition("\n")[0]
        raise SubjectError(f"device={requested!r} cannot be used: {reason} Use 'cpu'.") from error
    return requested


def placement(options: LoadingOptions, config: Any) -> tuple[str | None, dict[str, Any]]:
    """Return where a model goes, and the arguments with which transformers puts it there.

    - `config`: of the model, which may be quantised already.
    - Returns `device`: device to move the open model to; None where transformers has placed it.
    - Returns `arguments`: for ``from_pretrained``.
    - Raises `MissingExtraError` when accelerate or bitsandbytes is not installed; `SubjectError`
      when the device is not there, or cannot hold a quantised model.
    """
    is_quantized = getattr(config, "quantization_config", None) is not None
    arguments: dict[str, Any] = {}
    if options.quantize is not None:
        if is_quantized:
            raise SubjectError(
                f"The model is stored quantised already ({stored_quantization(config)}): leave out"
                " quantize."
            )
        arguments["quantization_config"] = _bitsandbytes(options)
    if options.device == "auto":
        _need("accelerate", "device='auto'")
        device, arguments["device_map"] = None, "auto"
    else:
        device = choose_device(options.device)
        if is_quantized or options.quantize is not None:
            # A quantised model is put on its device as it is read, and can't be moved there later.
            _need("accelerate", "A quantised model")
            device, arguments["device_map"] = None, {"": device}
    if options.dtype is not None:
        arguments["dtype"] = options.dtype
    elif device == "cpu":
        arguments["dtype"] = "float32"
    if options.attention is not None:
        arguments["attn_implementation"] = options.attention
    return device, arguments


def _bitsandbytes(options: LoadingOptions) -> Any:
    import torch
    import transformers

    kind = (options.device or "cuda").partition(":")[0]
    if not torch.cuda.is_available() or kind not in ("cuda", "auto"):
        missing = (
            f"device={options.device!r} is none"
            if torch.cuda.is_available()
            else "torch finds none here"
        )
        raise SubjectError(
            f"quantize={options.quantize!r} needs an NVIDIA GPU, and {missing}. Leave quantize out;"
            " dtype='bfloat16' takes half of the memory of float32. For a quantised model on a"
            f" processor, {SERVER_HINT}."
        )
    _need("bitsandbytes", f"quantize={options.quantize!r}")
    config: Any = transformers.BitsAndBytesConfig
    if options.quantize == "8bit":
        return config(load_in_8bit=True)
    compute = getattr(torch, options.dtype or "bfloat16")
    return config(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=compute)


def _need(package: str, what: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise MissingExtraError(f"{what} needs {package}: {_EXTRA}.")


def stored_quantization(config: Any) -> str:
    """Return the quantisation of a stored model in words, such as "gptq, 4 bits"; "" if none."""
    stored = getattr(config, "quantization_config", None)
    if stored is None:
        return ""
    values = stored if isinstance(stored, dict) else stored.to_dict()
    method = values.get("quant_method") or "quantised"
    method = str(getattr(method, "value", method))
    bits = values.get("bits") or (
        4 if values.get("load_in_4bit") else 8 if values.get("load_in_8bit") else None
    )
    return f"{method}, {bits} bits" if bits else method


def devices_of(model: Any) -> tuple[str, ...]:
    """Return the devices that hold parts of a model, in order, such as ("cuda:0", "cuda:1")."""
    if placed := getattr(model, "hf_device_map", None):
        names = [f"cuda:{each}" if isinstance(each, int) else str(each) for each in placed.values()]
    else:
        names = [str(each.device) for each in model.parameters()]
    return tuple(dict.fromkeys(names)) or (str(model.device),)


def input_device(model: Any) -> str:
    """Return the device that a model's inputs go to: that of its input embeddings.

    Of a split model, `accelerate` moves what passes from one part to the next.
    """
    try:
        table = model.get_input_embeddings()
    except NotImplementedError:  # two towers have no common embeddings
        return str(model.device)
    hook = getattr(table, "_hf_hook", None)
    # Weights that wait on disk or in main memory lie nowhere: their hook says where they run.
    runs_on = getattr(hook, "execution_device", None)
    if runs_on is not None:
        return f"cuda:{runs_on}" if isinstance(runs_on, int) else str(runs_on)
    weight = getattr(table, "weight", None)
    return str(model.device if weight is None else weight.device)
