"""Open encoders by name from the Hugging Face hub, or from a folder in its format."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from biaslab.errors import MissingExtraError, SubjectError, UnknownSubjectError
from biaslab.subjects.encoder import Encoder
from biaslab.subjects.torch_model import device_text

PREFIX = "hf:"


def load_encoder(
    source: str | Path, *, name: str | None = None, device: str | None = None
) -> Encoder:
    """Open an encoder.

    Weights are read from safetensors only, and no code of a model is run. Files in
    the local cache are used without a network request.

    Parameters
    ----------
    source : str or Path
        ``hf:NAME``, or a folder with ``config.json``, safetensors and a tokenizer.
    name : str, optional
        Name shown to the person.
    device : str, optional
        A torch device; by default the GPU if there is one.

    Raises
    ------
    MissingExtraError
        When torch or transformers is not installed.
    UnknownSubjectError
        When the folder does not exist or holds no model.
    SubjectError
        When the model cannot be fetched or opened, or the device is not there.
    """
    where, about = locate(source, "encoder")
    model, tokenizer, _ = open_model(where, str(source), "AutoModel", "encoder")
    chosen = choose_device(device)
    return Encoder(
        model,
        tokenizer,
        device=chosen,
        name=name or Path(where).name,
        about=f"{about}{device_text(chosen)}",
    )


def locate(source: str | Path, what: str) -> tuple[str, str]:
    """Return a model's location, as transformers takes it, and a line about it.

    Parameters
    ----------
    source : str or Path
        ``hf:NAME`` or a folder.
    what : str
        Expected kind, such as "encoder".

    Raises
    ------
    MissingExtraError
        When torch or transformers is not installed.
    UnknownSubjectError
        When the folder does not exist or holds no model.
    """
    if any(importlib.util.find_spec(each) is None for each in ("torch", "transformers")):
        article = "An" if what[0] in "aeiou" else "A"
        raise MissingExtraError(
            f"{article} {what} needs torch and transformers: pip install 'biaslab[lm]'."
        )
    text = str(source)
    where = text.removeprefix(PREFIX)
    if text.startswith(PREFIX):
        if not where:
            raise UnknownSubjectError(
                "'hf:' has no name. Write hf:NAME, such as hf:bert-base-uncased."
            )
        return where, f"{what} {where} of the Hugging Face hub"
    folder = Path(source).expanduser()
    if not (folder / "config.json").is_file():
        raise UnknownSubjectError(
            f"There is no model in {folder} (no config.json). Give a folder that "
            "save_pretrained wrote, or the name of a model on the Hugging Face hub as hf:NAME."
        )
    return str(folder), f"{what} in the folder {folder.name}"


def open_model(
    where: str, text: str, auto_class: str, what: str
) -> tuple[Any, Any, tuple[str, ...]]:
    """Open model and tokenizer with a class of transformers; list missing weights.

    Parameters
    ----------
    where, text : str
        Location for transformers, and as the user wrote it.
    auto_class : str
        Such as "AutoModel".
    what : str
        Expected kind, such as "encoder".

    Raises
    ------
    SubjectError
        When it cannot be fetched or opened.
    """
    import transformers

    def both(local: bool) -> tuple[Any, Any, tuple[str, ...]]:
        options: dict[str, Any] = {"local_files_only": local, "trust_remote_code": False}
        # A local model opens in a moment; a download deserves a progress bar.
        with no_progress_bar() if local else nullcontext():
            model, loading_info = getattr(transformers, auto_class).from_pretrained(
                where, use_safetensors=True, output_loading_info=True, **options
            )
        tokenizer = transformers.AutoTokenizer.from_pretrained(where, **options)
        return model, tokenizer, tuple(sorted(loading_info["missing_keys"]))

    try:
        return both(True)
    except (OSError, ValueError) as error:
        if not text.startswith(PREFIX):
            raise _failed(text, what, error) from error
    try:
        return both(False)
    except (OSError, ValueError) as error:
        raise _failed(text, what, error) from error


@contextmanager
def no_progress_bar() -> Iterator[None]:
    """Hide the progress bar of transformers within a block."""
    import transformers

    logging: Any = transformers.utils.logging
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _failed(text: str, what: str, error: Exception) -> SubjectError:
    reason = str(error).strip().partition("\n")[0]
    advice = (
        "Check the name and the connection, or give the folder of a local model."
        if text.startswith(PREFIX)
        else "It needs config.json, the weights as safetensors, and the tokenizer's files."
    )
    article = "an" if what[0] in "aeiou" else "a"
    return SubjectError(f"{text} cannot be opened as {article} {what}: {reason} {advice}")


def choose_device(requested: str | None) -> str:
    """Return the requested device, else the GPU if there is one.

    Raises
    ------
    SubjectError
        When it is not there.
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
