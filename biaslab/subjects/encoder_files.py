"""Open encoders by name from the Hugging Face hub, or from a folder in its format."""

from __future__ import annotations

from pathlib import Path

from biaslab.subjects.encoder import Encoder
from biaslab.subjects.loading_options import DEFAULTS, LoadingOptions
from biaslab.subjects.model_devices import input_device
from biaslab.subjects.model_opening import locate, open_model
from biaslab.subjects.torch_model import device_text


def load_encoder(
    source: str | Path, *, name: str | None = None, options: LoadingOptions = DEFAULTS
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
    options : LoadingOptions
        Device, precision and version.

    Raises
    ------
    MissingExtraError
        When torch, transformers or a library that its files need is not installed.
    UnknownSubjectError
        When the folder does not exist or holds no model.
    SubjectError
        When the model cannot be fetched or opened, or the device is not there.
    """
    where, about = locate(source, "encoder")
    opened = open_model(where, str(source), "AutoModel", "encoder", options)
    encoder = Encoder(
        opened.model, opened.tokenizer, device=opened.device, name=name or Path(where).name,
        files=opened.files,
    )  # fmt: skip
    encoder.about = f"{about}{device_text(input_device(encoder.model))}"
    return encoder
