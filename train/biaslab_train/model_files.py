"""Files of trained models, in the format in which transformers opens them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biaslab.files.atomic import write_atomically
from biaslab.subjects.pretrained.opening import building, no_progress_bar

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def write_json(path: Path, content: object) -> None:
    """Write plain values as indented JSON."""
    write_atomically(path, json.dumps(content, indent=1) + "\n")


def write_half(network: Any, folder: Path) -> None:
    """Write ``config.json`` and ``model.safetensors`` in float16."""
    from safetensors.torch import save

    skipped = set(network.all_tied_weights_keys)
    weights = {
        name: tensor.detach().half().cpu().contiguous()
        for name, tensor in network.state_dict().items()
        if name not in skipped
    }
    # Stored in half precision, computed in full: on a CPU half is slower and rounds more.
    network.config.dtype = "float32"
    network.config.architectures = [type(network).__name__]
    write_atomically(folder / "config.json", network.config.to_json_string())
    write_atomically(folder / "model.safetensors", save(weights, metadata={"format": "pt"}))


def write_tokenizer(tokenizer: Tokenizer, context: int, folder: Path, **settings: str) -> None:
    """Write tokenizer files for ``AutoTokenizer``.

    - `context`: longest input in tokens.
    - `**settings`: further settings, such as special tokens by their roles.
    """
    # The library indents it, which doubles its size.
    text = json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":"))
    write_atomically(folder / "tokenizer.json", text)
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": context,
        "model_input_names": ["input_ids", "attention_mask"],
        "clean_up_tokenization_spaces": False,
    }
    write_json(folder / "tokenizer_config.json", config | settings)


def open_model(folder: Path, kind: str) -> Any:
    """Open a trained model in float32, for inference.

    - `kind`: class of transformers, such as ``AutoModelForCausalLM``.
    """
    import transformers

    with building(), no_progress_bar():
        model = getattr(transformers, kind).from_pretrained(folder, local_files_only=True)
    return model.float().eval()


def open_reader(folder: Path, kind: str) -> Any:
    """Open the tokenizer or processor of a trained model, such as ``AutoTokenizer``."""
    import transformers

    return getattr(transformers, kind).from_pretrained(folder, local_files_only=True)
