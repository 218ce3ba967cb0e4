"""Two models of the size of the bundled ones, masked and causal, for what is timed over them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import biaslab as bl
from biaslab.probes.sentences.sources import default_pairs
from biaslab.subjects.load import bundled_names
from biaslab.training.language_model_network import build_network
from biaslab.training.language_model_settings import LanguageModelSettings
from biaslab.training.language_model_tokenizer import SPECIAL

NAMES = {"mlm": "wiki-mlm", "clm": "wiki-clm"}


def code_of_models(folder: Path, spec: str) -> tuple[str, str]:
    """Python that makes a list ``models``, and what to say of them.

    Parameters
    ----------
    folder : Path
        Where stand-ins are put where no models are bundled.
    spec : str
        Whose starter sentences their tokenizer knows word by word.
    """
    if all(name in bundled_names() for name in NAMES.values()):
        return f"models = {list(NAMES.values())!r}", "The bundled models."
    places = {kind: _stand_in(folder / name, kind, spec) for kind, name in NAMES.items()}
    made = ", ".join(
        f"bl.load({str(path)!r}, kind={kind!r}, device='cpu')" for kind, path in places.items()
    )
    return f"import biaslab as bl\nmodels = [{made}]", "Models of random weights stand in."


def _stand_in(folder: Path, kind: Any, spec: str) -> Path:
    """A model of the bundled ones' shape, with a tokenizer of whole words."""
    from transformers import PreTrainedTokenizerFast

    settings = LanguageModelSettings(kind=kind)
    build_network(settings, settings.vocabulary).save_pretrained(folder)
    pad, begin, end, mask = SPECIAL
    tokenizer_type: Any = PreTrainedTokenizerFast
    tokenizer_type(
        tokenizer_object=_words(spec), pad_token=pad, bos_token=begin, eos_token=end,
        cls_token=begin, sep_token=end, mask_token=mask, unk_token="[UNK]",
    ).save_pretrained(folder)  # fmt: skip
    return folder


def _words(spec: str) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(special_tokens=[*SPECIAL, "[UNK]"], show_progress=False)
    pairs = default_pairs(bl.specs.get(spec))
    tokenizer.train_from_iterator([v for pair in pairs for v in pair.versions], trainer)
    _, begin, end, _ = SPECIAL
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}",
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in (begin, end)],
    )
    return tokenizer
