"""Painters of pictures: an OpenAI-compatible endpoint, or a local pipeline."""

from __future__ import annotations

import base64
import binascii
import importlib.util
import inspect
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from biaslab.asking.endpoint import Endpoint
from biaslab.errors import EndpointAnswerError, ImageError, MissingExtraError
from biaslab.images.opening import png
from biaslab.jobs import JobContext
from biaslab.leaving import leave_if_cancelled
from biaslab.network import check_hub_name, fetch_apart
from biaslab.secret import Secret
from biaslab.subjects.building import building

PREFIX = "hf:"


@dataclass(frozen=True)
class Painted:
    """A generated picture.

    Attributes
    ----------
    content : bytes
        A picture file, which is untrusted.
    details : mapping of str to str or number
        Settings, such as the seed.
    """

    content: bytes
    details: Mapping[str, str | int | float] = field(default_factory=dict)


class Painter(Protocol):
    """Interface of a painter of pictures."""

    @property
    def name(self) -> str:
        """Name, for the pictures' source."""

    def paint(self, prompt: str, number: int, context: JobContext) -> Painted:
        """Make a picture.

        Parameters
        ----------
        prompt : str
            Prompt.
        number : int
            Which picture of this prompt it is, from 0: each is another one.
        context : JobContext
            Checked for cancellation.

        Raises
        ------
        EndpointAnswerError
            If this picture could not be had; others may.
        EndpointError
            If none can be had.
        """


class EndpointPainter:
    """An image model behind an OpenAI-compatible address.

    The key is only held while this object lives: it is in no picture, no message, no file and no
    representation.

    Parameters
    ----------
    model : str
        Name of the model there.
    base_url, key, attempts, timeout
        As of `biaslab.asking.endpoint.Endpoint`.
    size : str
        Such as ``"1024x1024"``, in the server's notation.

    Raises
    ------
    MissingExtraError
        If ``openai`` is not installed.
    EndpointError
        If no key is given for OpenAI's own address.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: str | Secret | None = None,
        size: str = "1024x1024",
        attempts: int = 4,
        timeout: float = 180.0,
    ) -> None:
        self.endpoint = Endpoint(
            model, base_url=base_url, key=key, attempts=attempts, timeout=timeout, extra="images"
        )
        self.size = size
        # Some servers send an address unless the picture is requested; others reject that option.
        self._ask_for_content = True

    @property
    def name(self) -> str:
        """The model and its address."""
        return self.endpoint.name

    def __repr__(self) -> str:
        return f"<EndpointPainter {self.name}>"

    def paint(self, prompt: str, number: int, context: JobContext) -> Painted:
        """See `Painter.paint`; a busy server is retried after the delay that it names."""
        del number

        def question(client: Any) -> bytes:
            options: dict[str, Any] = {"response_format": "b64_json"}
            reply = client.images.generate(
                model=self.endpoint.model, prompt=prompt, n=1, size=self.size,
                **(options if self._ask_for_content else {}),
            )  # fmt: skip
            return self._content(reply.data[0])

        try:
            content = self.endpoint.ask(question, context)
        except EndpointAnswerError as error:
            if not (error.final and self._ask_for_content and "response_format" in str(error)):
                raise
            self._ask_for_content = False
            content = self.endpoint.ask(question, context)
        return Painted(content, {"size": self.size})

    def _content(self, data: Any) -> bytes:
        text = getattr(data, "b64_json", None)
        if not text:
            problem = EndpointAnswerError(
                f"{self.endpoint.base_url} sent the address of a picture, which is not fetched."
                " Set the server to send the picture itself (b64_json)."
            )
            problem.final = bool(getattr(data, "url", None))
            raise problem
        try:
            return base64.b64decode(text, validate=True)
        except binascii.Error as error:
            raise EndpointAnswerError(
                f"{self.endpoint.base_url} sent an unreadable answer."
            ) from error


class LocalPainter:
    """A text-to-image pipeline of ``diffusers`` on this machine.

    Parameters
    ----------
    pipeline : diffusers.DiffusionPipeline
        Called with a prompt; gives Pillow images.
    name : str
        For the pictures' source.
    seed : int
        The same seed gives the same pictures.
    steps : int
        Steps of denoising.
    size : int, optional
        Width and height in pixels; by default the pipeline's own.
    """

    def __init__(
        self,
        pipeline: Any,
        *,
        name: str = "",
        seed: int = 0,
        steps: int = 30,
        size: int | None = None,
    ) -> None:
        self.pipeline = pipeline
        self.name = name or type(pipeline).__name__
        self.seed, self.steps, self.size = seed, steps, size
        self.lock = threading.RLock()
        if callable(getattr(pipeline, "set_progress_bar_config", None)):
            pipeline.set_progress_bar_config(disable=True)

    @classmethod
    def load(cls, source: str | Path, *, device: str | None = None, **options: Any) -> LocalPainter:
        """Open a pipeline.

        Weights are read from safetensors only, and no code of a pipeline is run. Files
        in the local cache are used without a network request.

        Parameters
        ----------
        source : str or Path
            ``hf:NAME``, or the folder of a pipeline.
        device : str, optional
            A torch device; by default the GPU if there is one.
        **options
            As of the class.

        Raises
        ------
        MissingExtraError
            If diffusers is not installed.
        ImageError
            If it cannot be fetched or opened.
        """
        if any(importlib.util.find_spec(name) is None for name in ("torch", "diffusers")):
            raise MissingExtraError(
                'Making pictures on this machine needs diffusers: pip install "biaslab[images]"'
            )
        from biaslab.subjects.model_devices import choose_device

        text = str(source)
        where = text.removeprefix(PREFIX)
        if not text.startswith(PREFIX):
            folder = Path(source).expanduser()
            if not (folder / "model_index.json").is_file():
                raise ImageError(
                    f"There is no pipeline in {folder} (no model_index.json). Give a folder that"
                    " save_pretrained of diffusers wrote, or the name of a model on the Hugging"
                    " Face hub as hf:NAME."
                )
            where = str(folder)
        pipeline = _opened(where, text).to(choose_device(device))
        options.setdefault("name", Path(where).name)
        return cls(pipeline, **options)

    def __repr__(self) -> str:
        return f"<LocalPainter {self.name!r}>"

    def paint(self, prompt: str, number: int, context: JobContext) -> Painted:
        """See `Painter.paint`."""
        import torch

        context.checkpoint()
        seed = self.seed + number
        size = {} if self.size is None else {"height": self.size, "width": self.size}
        with self.lock, torch.inference_mode():
            # Chance on the CPU is the same on every device.
            output = self.pipeline(
                prompt, num_inference_steps=self.steps,
                generator=torch.Generator("cpu").manual_seed(seed), **size, **self._looks(),
            )  # fmt: skip
        if any(getattr(output, "nsfw_content_detected", None) or ()):
            raise EndpointAnswerError(
                f"{self.name} flagged its own picture as unsafe and blacked it out. Change the"
                " prompt."
            )
        content = png(output.images[0].convert("RGB"))
        return Painted(content, {"seed": seed, "steps": self.steps})

    def _looks(self) -> dict[str, Any]:
        """Return options with a cancellation check in each step, if they are accepted."""
        name = "callback_on_step_end"
        if name not in inspect.signature(self.pipeline.__call__).parameters:
            return {}

        def look(_pipeline: Any, _step: int, _time: Any, values: dict[str, Any]) -> dict[str, Any]:
            leave_if_cancelled()
            return values

        return {name: look}


def _opened(where: str, text: str) -> Any:
    import diffusers

    if text.startswith(PREFIX):
        check_hub_name(text)
    pipelines: Any = diffusers.DiffusionPipeline

    def opened(local: bool) -> Any:
        if not local:  # so that nobody waits for it who builds another model
            pipelines.download(where, use_safetensors=True, trust_remote_code=False)
        with building():
            return pipelines.from_pretrained(
                where, use_safetensors=True, local_files_only=local, trust_remote_code=False
            )

    try:
        return opened(True)
    except (OSError, ValueError) as error:
        if not text.startswith(PREFIX):
            raise _failed(text, error) from error
    try:
        return opened(fetch_apart(text))
    except (OSError, ValueError) as error:
        raise _failed(text, error) from error


def _failed(text: str, error: Exception) -> ImageError:
    reason = " ".join(str(error).split())[:300]
    return ImageError(
        f"{text} cannot be opened as a diffusers pipeline: {reason} It needs its weights as"
        " safetensors; check the name and the connection."
    )
