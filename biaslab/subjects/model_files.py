"""Files of a model in a folder or in the cache of the Hugging Face hub."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biaslab.errors import EmbeddingFileError, SubjectError
from biaslab.subjects.formats.safetensors_file import read_header

_INDEX = "model.safetensors.index.json"
_WEIGHTS = "model.safetensors"
_CODED = ("pytorch_model*.bin", "*.pt", "*.pth", "*.h5", "*.msgpack")
_TOKENIZERS = (
    "tokenizer.json", "vocab.txt", "vocab.json", "tokenizer.model", "spiece.model", "source.spm",
    "sentencepiece.bpe.model", "spm.model", "spm_char.model", "tekken.json", "bpe.codes",
)  # fmt: skip


@dataclass(frozen=True)
class ModelFiles:
    """The files of a model that lie on this machine.

    Attributes
    ----------
    folder : Path
        A model's folder, or a snapshot in the cache of the hub.
    is_hub : bool
        Whether it is a snapshot, in which files may be absent that the hub has.
    """

    folder: Path
    is_hub: bool = False

    @property
    def weights(self) -> tuple[Path, ...]:
        """Files of the weights: those that the index names, else the one file, else all."""
        if (self.folder / _INDEX).is_file():
            return tuple(self.folder / name for name in self._indexed())
        if (self.folder / _WEIGHTS).is_file():
            return (self.folder / _WEIGHTS,)
        return tuple(sorted(self.folder.glob("*.safetensors")))

    @property
    def has_tokenizer(self) -> bool:
        """Whether there is a file of a tokenizer."""
        return any((self.folder / name).is_file() for name in _TOKENIZERS)

    @property
    def bytes(self) -> int:
        """Size of the weights on disk."""
        return sum(path.stat().st_size for path in self.weights if path.is_file())

    def check(self) -> None:
        """Refuse weights that are absent, cut off, or in another program's format.

        Raises
        ------
        SubjectError
            Names the files, and says what to do.
        """
        files = self.weights
        missing = [path.name for path in files if not path.is_file()]
        if missing and not self.is_hub:
            shown = ", ".join(missing[:3]) + (" and more" if len(missing) > 3 else "")
            raise SubjectError(
                f"{self.folder.name} cannot be opened: it lacks {len(missing)} of {len(files)}"
                f" files of weights: {shown}. The copy is incomplete: download the missing files."
            )
        if not files and not self.is_hub:
            raise SubjectError(self._without_weights())
        for path in files:
            if path.is_file():
                self._check_file(path)

    def refuse_partly_downloaded(self, name: str) -> None:
        """Refuse weights of which the cache of the hub has a part, where the rest can't be fetched.

        Raises
        ------
        SubjectError
            Names the missing files.
        """
        files = self.weights
        missing = [path.name for path in files if not path.is_file()]
        if files and not missing:
            return
        shown = ", ".join(missing[:3]) + (" and more" if len(missing) > 3 else "")
        part = f"lacks {len(missing)} of {len(files)} files of weights: {shown}"
        raise SubjectError(
            f"{name} is only partly downloaded: the cache of this machine"
            f" {part if files else 'has none of its weights'}, and the hub cannot be reached. Open"
            " the model again with a connection: that fetches the rest."
        )

    def _check_file(self, path: Path) -> None:
        try:
            _, metadata = read_header(path)
        except EmbeddingFileError as error:
            raise SubjectError(f"{error}") from error
        if metadata.get("format") == "mlx":
            raise SubjectError(
                f"{self.folder.name} cannot be opened: it holds weights for MLX, which only Apple's"
                " library reads. Choose the original model; or serve it with mlx_lm.server, and"
                " open that server: bl.load('openai:MODEL@http://127.0.0.1:PORT/v1')."
            )

    def _indexed(self) -> list[str]:
        path = self.folder / _INDEX
        try:
            index: Any = json.loads(path.read_text(encoding="utf-8"))
            names = sorted(set(map(str, index["weight_map"].values())))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise SubjectError(
                f"{path.name} of {self.folder.name} is damaged: {error}. Download it again."
            ) from error
        return [name for name in names if Path(name).name == name]

    def _without_weights(self) -> str:
        coded = next((path.name for mask in _CODED for path in self.folder.glob(mask)), "")
        if coded:
            return (
                f"{self.folder.name} cannot be opened: its weights are only in {coded}, which runs"
                " code when it is opened. Store them as safetensors: model.save_pretrained(folder)."
            )
        return (
            f"{self.folder.name} cannot be opened: it has no weights (no .safetensors file). Copy"
            " them from where the model was stored."
        )


def local_files(where: str, is_hub: bool, revision: str | None = None) -> ModelFiles | None:
    """Return the files of a model on this machine; None where the hub's cache has none of it.

    Parameters
    ----------
    where : str
        A folder, or a name on the hub.
    is_hub : bool
        Which of them.
    revision : str, optional
        Branch, tag or commit on the hub.
    """
    if not is_hub:
        return ModelFiles(Path(where))
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = try_to_load_from_cache(where, "config.json", revision=revision)
    except HFValidationError:
        return None
    return ModelFiles(Path(found).parent, is_hub=True) if isinstance(found, str) else None
