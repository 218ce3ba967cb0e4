"""A person's own morphs: pictures that were uploaded, a folder of them for each item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from biaslab.errors import ImageError
from biaslab.images.morph_folder import PhotographedMorphs, read_morphs
from biaslab.records.wording import counted
from biaslab_widgets.benches.images.sources import PictureFiles
from biaslab_widgets.core.bench.uploads import Uploads

MOST = 2_000
"""Pictures that are taken."""
_HOW = (
    "Make one folder per item with one folder per portrait in it, such as nurse/anna/00.png, and"
    " put the pictures there in order from one end to the other."
)


class OwnMorphs:
    """Morphs that a person has uploaded.

    - `files`: where they lie.
    - `morphs`: None while there are none that can be shown.
    - `problem`: why there are none.
    """

    def __init__(self, files: PictureFiles) -> None:
        self._files = files
        self._folder: Path | None = None
        self._names: set[tuple[str, ...]] = set()
        self.morphs: PhotographedMorphs | None = None
        self.problem = ""

    @property
    def about(self) -> str:
        """What they are, and what was not taken."""
        if self.morphs is None:
            return ""
        kind = self.morphs.source
        items, portraits = len(self.morphs.items), len(self.morphs.observers)
        text = f"own pictures, {kind}: {items} item{'' if items == 1 else 's'}"
        text += f", {portraits} portrait{'' if portraits == 1 else 's'}"
        if lost := self.morphs.rejected:
            text += f"; {len(lost):,} rejected, the first because: {lost[0].reason}"
        return " ".join([f"{text}.", *self.morphs.notes])

    def add(
        self, files: Sequence[Mapping[str, Any]], uploads: Uploads, *, more: bool = False
    ) -> str:
        """Take pictures in; what was there under the same name is replaced.

        - `files`: ``name`` such as ``"nurse/anna/03.png"``, with ``content`` or ``parcel``.
        - `more`: whether others follow at once: then nothing is read yet.
        - Raises `ImageError` when a name leads elsewhere, or there are too many.
        """
        if not files:
            raise ImageError(f"There are no pictures. Choose some. {_HOW}")
        names = self._names | {_parts(file) for file in files}
        if len(names) > MOST:
            raise ImageError(
                f"There would be {counted(len(names), 'picture')}; at most {MOST:,} can be"
                " uploaded. Read them in Python with biaslab.images.read_morphs(folder)."
            )
        named = [(_parts(file), uploads.whole(file)) for file in files]
        if self._folder is None:
            self._folder = self._files.new_folder()
        for parts, content in named:
            path = self._folder.joinpath(*parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            self._names.add(parts)
        return self._here if more else f"{self._here} {self._read(self._folder)}".strip()

    @property
    def _here(self) -> str:
        return f"{counted(len(self._names), 'picture')} of morphs here."

    def _read(self, folder: Path) -> str:
        try:
            self.morphs = read_morphs(folder)
            self.problem = ""
        except ImageError as error:
            # Pictures come some at a time: what is there may not be a morph yet.
            self.problem = f"{error} {_HOW}".replace(str(folder), "What was uploaded")
            return self.problem if self.morphs is None else ""
        return self.about


def _parts(file: Mapping[str, Any]) -> tuple[str, ...]:
    """Item, perhaps portrait, and name of a picture: the last parts of its path."""
    name = str(file.get("name", "")).replace("\\", "/")
    parts = PurePosixPath(name).parts
    if any(part in ("..", "/") or ":" in part or part.startswith(".") for part in parts):
        raise ImageError(f"“{name}” points outside its folder and was rejected. {_HOW}")
    if len(parts) < 3:
        raise ImageError(f"“{name}” does not say which portrait it belongs to. {_HOW}")
    return parts[-3:]
