"""Models by their name on the Hugging Face hub, or from a folder in its format; encoders."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from biaslab.errors import MissingExtraError, SubjectError, UnknownSubjectError
from biaslab.subjects.encoder import Encoder

PREFIX = "hf:"


def load_encoder(
    source: str | Path, *, name: str | None = None, device: str | None = None
) -> Encoder:
    """Open an encoder.

    Weights are read from safetensors only, and no code that comes with a model is run. What is in
    the local cache is used without asking the network.

    Parameters
    ----------
    source : str or Path
        ``hf:NAME``, or a folder with ``config.json``, safetensors and a tokenizer.
    name : str, optional
        Name shown to the person.
    device : str, optional
        A torch device; by default the GPU where there is one.

    Raises
    ------
    MissingExtraError
        When torch or transformers is not installed.
    UnknownSubjectError
        When there is no such folder, or it holds no model.
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
        about=f"{about}, on {chosen}",
    )


def locate(source: str | Path, what: str) -> tuple[str, str]:
    """Where a model is, as transformers takes it, and one line about it.

    Parameters
    ----------
    source : str or Path
        ``hf:NAME`` or a folder.
    what : str
        What it is to be, such as "encoder".

    Raises
    ------
    MissingExtraError
        When torch or transformers is not installed.
    UnknownSubjectError
        When there is no such folder, or it holds no model.
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
    """Model and tokenizer by a class of transformers, and the weights that the files lack.

    Parameters
    ----------
    where, text : str
        As transformers takes it, and as the person wrote it.
    auto_class : str
        Such as "AutoModel".
    what : str
        What it is to be, such as "encoder".

    Raises
    ------
    SubjectError
        When it cannot be fetched or opened.
    """
    import transformers

    def both(local: bool) -> tuple[Any, Any, tuple[str, ...]]:
        options: dict[str, Any] = {"local_files_only": local, "trust_remote_code": False}
        # What is here is open in a moment; a download is worth a bar.
        with no_progress_bar() if local else nullcontext():
            model, found = getattr(transformers, auto_class).from_pretrained(
                where, use_safetensors=True, output_loading_info=True, **options
            )
        tokenizer = transformers.AutoTokenizer.from_pretrained(where, **options)
        return model, tokenizer, tuple(sorted(found["missing_keys"]))

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
    """A block in which transformers shows no progress bar."""
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


def choose_device(asked: str | None) -> str:
    """The device asked for, else the GPU where there is one.

    Raises
    ------
    SubjectError
        When it is not there.
    """
    import torch

    if asked is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=asked)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).partition("\n")[0]
        raise SubjectError(f"device={asked!r} cannot be used: {reason} Use 'cpu'.") from error
    return asked
