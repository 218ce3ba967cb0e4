"""Painters of pictures, and a local pipeline that is one."""

from __future__ import annotations

import importlib.util
import inspect
import threading
from pathlib import Path
from typing import Any, Protocol

from biaslab.asking.providers.chat import Painted
from biaslab.errors import EndpointAnswerError, ImageError, MissingExtraError
from biaslab.images.opening import png
from biaslab.jobs.job import JobContext
from biaslab.network import check_hub_name, fetch_apart
from biaslab.subjects.pretrained.opening import building
from biaslab.threads.leaving import leave_if_cancelled

PREFIX = "hf:"


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
        from biaslab.subjects.pretrained.options import choose_device

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
