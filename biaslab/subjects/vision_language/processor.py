"""Open the processor of a model that reads pictures, also where videos cannot be read.

The processors of Qwen-VL and SmolVLM contain one of videos, which needs torchvision (and SmolVLM's
own needs num2words). A picture needs neither.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from biaslab.errors import SubjectError
from biaslab.subjects.pretrained.opening import ModelSource, local_first
from biaslab.subjects.pretrained.trial import check_tokenizer

_VIDEOS = "video_processor"


def read_processor(source: ModelSource, model_type: str) -> Any:
    """Return a model's processor, from this machine if it is there.

    - `model_type`: of the model's configuration.
    - Raises `MissingExtraError` when a library is missing that pictures need too; `SubjectError`
      when a file is missing or damaged.
    """

    def read(local: bool) -> Any:
        folder = source.folder(local)
        if folder is not None:
            check_tokenizer(folder, source.text)
        try:
            return open_processor(source.where, model_type, **source.arguments(local))
        except (OSError, ValueError) as error:
            if source.is_hub:
                raise
            reason = str(error).partition(". ")[0]
            raise SubjectError(
                f"{source.text} cannot be opened as a {source.what}: {reason}. It needs the"
                " tokenizer's files and preprocessor_config.json."
            ) from error

    return local_first(source, read)


def open_processor(where: str, model_type: str, **options: Any) -> Any:
    """Return a model's processor; one for pictures alone if its part for videos cannot be opened.

    - `where`: folder or hub name.
    - `model_type`: of the model's configuration.
    - `**options`: of ``from_pretrained``.
    - Raises `ImportError` if a library is missing that pictures need too; `OSError`, `ValueError`
      if a file is missing or damaged.
    """
    import transformers

    library: Any = transformers
    try:
        return library.AutoProcessor.from_pretrained(where, **options)
    except ImportError:
        names = library.models.auto.processing_auto.PROCESSOR_MAPPING_NAMES
        known = names.get(model_type, "")
        if "Qwen" not in known and known != "SmolVLMProcessor":
            raise
    config = library.ProcessorMixin.get_processor_dict(where, **options)[0]
    return pictures_only(
        known,
        library.AutoImageProcessor.from_pretrained(where, **options),
        library.AutoTokenizer.from_pretrained(where, **options),
        config.get("chat_template"),
        **{k: v for k, v in config.items() if k == "image_seq_len"},
    )


def pictures_only(
    name: str, image_processor: Any, tokenizer: Any, chat_template: str | None, **options: Any
) -> Any:
    """Return a processor of this class without its part for videos.

    - `name`: class of transformers, such as ``Qwen2VLProcessor``.
    - `image_processor`, `tokenizer`: the model's own.
    - `chat_template`: by default the tokenizer's.
    - `**options`: further arguments of the class.
    """
    return _pictures_only(name)(
        image_processor=image_processor, tokenizer=tokenizer, chat_template=chat_template,
        **options,
    )  # fmt: skip


@cache
def _pictures_only(name: str) -> type:
    import transformers

    # SmolVLM prepares a picture as Idefics 3, and its own processor needs a package for videos.
    known = {"SmolVLMProcessor": "Idefics3Processor"}.get(name, name)
    whole: Any = getattr(transformers, known, None)
    if whole is None:
        raise SubjectError(f"This version of transformers has no {known}. Update transformers.")

    class PicturesOnly(whole):  # type: ignore[misc]
        """Processor of pictures and text."""

        def check_argument_for_proper_class(self, argument_name: str, argument: Any) -> Any:
            if argument_name == _VIDEOS and argument is None:
                return None
            return super().check_argument_for_proper_class(argument_name, argument)

    PicturesOnly.__name__ = whole.__name__
    return PicturesOnly
