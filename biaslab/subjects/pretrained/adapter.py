"""LoRA adapters: checked, and merged into the model that they were trained on."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from biaslab.errors import EmbeddingFileError, MissingExtraError, SubjectError
from biaslab.subjects.formats.safetensors_file import read_header
from biaslab.subjects.pretrained.files import LARGEST_HEADER, WeightFiles
from biaslab.subjects.pretrained.kinds import kind_of_folder
from biaslab.subjects.pretrained.opening import PREFIX, OpenedModel
from biaslab.subjects.pretrained.options import stored_quantization
from biaslab.subjects.pretrained.trial import read_object

SETTINGS: Final = "adapter_config.json"
WEIGHTS: Final = "adapter_model.safetensors"
_MERGE = (
    "Merge it where it was trained, and open the result:"
    " model.merge_and_unload().save_pretrained(folder)."
)
_PLAIN = re.compile(r"[\w.-]+")
_HUB = re.compile(r"[\w.-]+(/[\w.-]+)?")
_KEPT = ("lora_alpha", "use_rslora", "use_dora", "lora_bias", "fan_in_fan_out", "bias")
_OTHERS = (
    "layer_replication", "megatron_config", "alora_invocation_tokens", "use_qalora",
    "target_parameters", "trainable_token_indices", "use_bdlora", "arrow_config", "kasa_config",
)  # fmt: skip
"""Settings of adapters that are no plain LoRA."""
_STARTS = (None, True, False, "gaussian", "orthogonal", "eva")
"""Ways to begin training that leave the weights of the base as they are."""


@dataclass(frozen=True)
class Adapter:
    """An adapter in a folder.

    - `base`: the model that it was trained on, as `biaslab.load` takes it.
    - `task`: such as "CAUSAL_LM"; "" if it does not say.
    - `rank`: the largest of its matrices.
    - `settings`: arguments of ``peft.LoraConfig``.
    """

    folder: Path
    base: str
    task: str
    rank: int
    settings: Mapping[str, Any]

    @property
    def about(self) -> str:
        """Such as "LoRA adapter my-adapter on hf:gpt2"."""
        base = self.base if self.base.startswith(PREFIX) else Path(self.base).name
        return f"LoRA adapter {self.folder.name} on {base}"


@dataclass(frozen=True)
class _Files:
    """Files of a base and of an adapter."""

    base: WeightFiles
    folder: Path

    @property
    def weights(self) -> tuple[Path, ...]:
        """Those of the base, then those of the adapter."""
        return (*self.base.weights, self.folder / WEIGHTS, self.folder / SETTINGS)

    @property
    def bytes(self) -> int:
        """Size of the base, which the merged model has too."""
        return self.base.bytes


def kind_of_adapter(adapter: Adapter) -> str | None:
    """Return the kind of its base, from a folder of it or from the adapter's task."""
    if adapter.base.startswith(PREFIX):
        return "clm" if adapter.task == "CAUSAL_LM" else None
    return kind_of_folder(Path(adapter.base))


def adapter_in(source: str | Path) -> Adapter | None:
    """Return the adapter in a folder; None where there is none, or a model beside it.

    Raises `SubjectError` when it is damaged, stored as a pickle, or no plain LoRA.
    """
    folder = Path(source).expanduser()
    if not (folder / SETTINGS).is_file() or (folder / "config.json").is_file():
        return None
    values = read_object(folder / SETTINGS, folder.name)
    base = str(values.get("base_model_name_or_path") or "")
    places = [one for one in (folder / base, Path(base)) if base and one.is_dir()]
    if places:
        base = str(places[0])
    elif _HUB.fullmatch(base):
        base = f"{PREFIX}{base}"
    else:
        raise _refused(folder, f"its base, {base[:80]!r}, is no folder here and no name of the hub")
    kind = str(values.get("peft_type"))
    others = [name for name in _OTHERS if values.get(name)]
    if kind != "LORA" or others or values.get("init_lora_weights", True) not in _STARTS:
        what = ", ".join(others) or str(values.get("init_lora_weights"))
        raise _refused(folder, f"it is no plain LoRA ({kind if kind != 'LORA' else what})")
    if not (folder / WEIGHTS).is_file():
        raise _refused(folder, f"it has no {WEIGHTS}; other files of weights may run code")
    try:
        tensors = read_header(folder / WEIGHTS, LARGEST_HEADER)[0]
    except EmbeddingFileError as error:
        raise SubjectError(str(error)) from error
    # Exact names: the settings may name layers by a regular expression, which may never end.
    layers = {name.removeprefix("base_model.model.").rpartition(".lora_")[0]: (*tensor.shape, 0)[0]
              for name, tensor in tensors.items() if ".lora_" in name and "_A" in name}  # fmt: skip
    rank = max(layers.values(), default=0)
    try:
        settings = _settings(values, rank)
    except (ValueError, TypeError, KeyError) as error:
        raise _refused(folder, f"its {SETTINGS} is damaged ({error})") from error
    settings["target_modules"] = sorted(layers)
    return Adapter(folder, base, str(values.get("task_type") or ""), rank, settings)


def _settings(values: Mapping[str, Any], rank: int) -> dict[str, Any]:
    """Return the settings that count. Raises `ValueError` where one is false or runs a pattern."""
    ranks, alphas = (dict(values.get(f"{name}_pattern") or {}) for name in ("rank", "alpha"))
    saved = list(values.get("modules_to_save") or [])
    if not all(isinstance(one, int) and 0 < one <= rank for one in (values["r"], *ranks.values())):
        raise ValueError(f"its matrices have at most {rank} rows")
    for name in (*saved, *ranks, *alphas):
        if not _PLAIN.fullmatch(name):
            raise ValueError(f"{name[:60]!r} is a regular expression")
    return {name: values[name] for name in _KEPT if values.get(name) is not None} | {
        "r": values["r"], "rank_pattern": ranks, "alpha_pattern": alphas,
        "modules_to_save": saved or None, "init_lora_weights": False, "inference_mode": True,
    }  # fmt: skip


def merged(opened: OpenedModel, adapter: Adapter) -> OpenedModel:
    """Return a base with an adapter merged into its weights.

    Raises `MissingExtraError` when peft is not installed; `SubjectError` when the base is quantised
    or the adapter belongs to another one.
    """
    if stored_quantization(opened.model.config):
        raise _refused(adapter.folder, "its base is quantised, and merging would round again")
    peft: Any = importlib.import_module("peft")
    tensors = importlib.import_module("safetensors.torch").load_file(adapter.folder / WEIGHTS)
    try:
        model = peft.PeftModel(opened.model, peft.LoraConfig(**adapter.settings))
        result = peft.set_peft_model_state_dict(model, tensors)
        missing = [name for name in result.missing_keys if "lora_" in name]
        if wrong := [*missing, *result.unexpected_keys]:
            raise ValueError(wrong[0])
        whole = model.merge_and_unload(safe_merge=True)
    except (RuntimeError, ValueError, TypeError, KeyError, AttributeError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[-1].strip()[:200]
        raise _refused(adapter.folder, f"it does not fit {adapter.base} ({reason})") from error
    whole.config.merged_adapter = f"{adapter.about}, rank {adapter.rank}"
    files = None if opened.files is None else _Files(opened.files, adapter.folder)
    return replace(opened, model=whole, files=files)


def need_peft(adapter: Adapter) -> None:
    """Refuse an adapter before its base is read, where peft is not installed."""
    if importlib.util.find_spec("peft") is None:
        raise MissingExtraError(
            f"{adapter.folder.name} is an adapter on {adapter.base}, which needs peft:"
            f" pip install 'biaslab[lm]'. {_MERGE}"
        )


def _refused(folder: Path, why: str) -> SubjectError:
    return SubjectError(f"{folder.name} is an adapter that cannot be opened: {why}. {_MERGE}")
