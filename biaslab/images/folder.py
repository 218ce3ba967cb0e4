"""A folder of photographs: one folder in it for each term."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from biaslab.errors import ImageError
from biaslab.images.image import Image, ImageSet, RejectedImage, open_image, term_key
from biaslab.images.opening import LARGEST_SIDE
from biaslab.records.calls import recorded

MOST = 20_000
"""Largest number of files in a folder."""
_PICTURES = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".tif", ".tiff", ".webp")
"""Suffixes of pictures outside the terms' folders."""


@recorded
def read_folder(
    folder: str | os.PathLike[str],
    terms: Sequence[str] | Mapping[str, str] | None = None,
    *,
    largest_side: int | None = LARGEST_SIDE,
) -> ImageSet:
    """Read pictures from a folder with one folder for each term.

    Files whose name begins with a dot are skipped. A picture's description is the text
    in a file of the same name that ends in ``.txt``, if there is one.

    Parameters
    ----------
    folder : path
        Has a folder for each term, of the same name; spaces may be ``_`` or ``-``.
    terms : sequence of str, or mapping of str to str, optional
        Terms to read, by default one for each folder; or term to the name of its folder.
    largest_side : int or None
        Longer side in pixels to which larger pictures are shrunk.

    Returns
    -------
    ImageSet
        With unusable files, files outside the terms' folders, and terms without a folder among
        the rejected.

    Raises
    ------
    ImageError
        If there is no such folder, it has no folder for any term, or a name points outside it.
    """
    root = Path(folder).expanduser()
    if not root.is_dir():
        raise ImageError(f"There is no folder {root}. Check the path.")
    chosen = folders_for(root, terms)
    images: list[Image] = []
    beside = passed_over(root) if terms is None else []
    rejected = [*beside]
    for term, place in chosen.items():
        if place is None:
            rejected.append(RejectedImage("", term, f"{root.name} has no folder of this name."))
            continue
        for file in pictures_in(place):
            name = file.relative_to(root).as_posix()
            try:
                images.append(open_below(root, file, term, largest_side))
            except ImageError as error:
                rejected.append(RejectedImage(name, term, str(error)))
    if not images and len(rejected) == len(beside):
        raise ImageError(
            f"{root} has no folder of pictures named after a term. Make one folder per term in it,"
            " such as 'nurse', and put its pictures there."
        )
    return ImageSet.of(images, rejected=rejected)


def open_below(root: Path, file: Path, term: str, largest_side: int | None) -> Image:
    """Open a picture of a folder with its description.

    - `root`: the folder that must not be left.
    - `file`: a file below it.
    - `term`: its term.
    - `largest_side`: see `biaslab.images.open_image`.
    - Raises `ImageError` if it cannot be used, or a link leads out of the folder.
    """
    name = file.relative_to(root).as_posix()
    return open_image(
        inside(root, name),
        term,
        name=name,
        description=_description(root, file),
        largest_side=largest_side,
    )


def inside(folder: Path, name: str) -> Path:
    """Return the file of a name in a folder, with links resolved.

    - `name`: relative to it.
    - Raises `ImageError` if it is outside the folder.
    """
    root = folder.resolve()
    path = (root / name).resolve()
    if Path(name).is_absolute() or not path.is_relative_to(root):
        raise ImageError(
            f"{name} points outside the folder {folder.name} and was not opened. Put the picture"
            " itself there."
        )
    return path


def folders_for(
    root: Path, terms: Sequence[str] | Mapping[str, str] | None
) -> dict[str, Path | None]:
    """Return the folder for each term, or None; without terms all folders.

    - `terms`: as of `read_folder`.
    - Raises `ImageError` if a named folder is outside.
    """
    if isinstance(terms, Mapping):
        return {term: _folder_in(root, name) for term, name in terms.items()}
    there: dict[str, Path] = {}
    for path in sorted(root.iterdir()):
        if _is_folder(root, path):
            there.setdefault(_plain(path.name), path)
    if terms is None:
        return {" ".join(p.name.replace("_", " ").split()): p for p in there.values()}
    return {term: there.get(_plain(term)) for term in terms}


def passed_over(root: Path, what: str = "term") -> list[RejectedImage]:
    """Return entries of a folder of folders that are not read, with the reason.

    These are links that lead out of it, further folders of a name that is already there, and
    pictures outside the folders, of which the first is named.

    - `what`: meaning of a folder: a term, an item, a portrait.
    """
    rejected: list[RejectedImage] = []
    first: dict[str, str] = {}
    loose: list[str] = []
    for path in sorted(root.iterdir()):
        if path.name.startswith("."):
            continue
        if not path.is_dir():
            loose += [path.name] * (path.suffix.lower() in _PICTURES)
        elif not _is_folder(root, path):
            reason = (
                f"It points outside {root.name} and was not opened. Put the folder itself there."
            )
            rejected.append(RejectedImage(path.name, "", reason))
        elif (other := first.setdefault(_plain(path.name), path.name)) != path.name:
            reason = f"{other} is the same name. Put the pictures of both into one folder."
            rejected.append(RejectedImage(path.name, "", reason))
    if loose:
        more = f" It is the first of {len(loose):,}." if len(loose) > 1 else ""
        reason = f"It is not inside a folder. Give each {what} its own folder.{more}"
        rejected.append(RejectedImage(loose[0], "", reason))
    return rejected


def _folder_in(root: Path, name: str) -> Path | None:
    path = inside(root, name)
    return root / name if path.is_dir() else None


def _is_folder(root: Path, path: Path) -> bool:
    """Return whether it is a folder inside the other one."""
    if path.name.startswith("."):
        return False
    return path.is_dir() and path.resolve().is_relative_to(root.resolve())


def pictures_in(folder: Path) -> Iterator[Path]:
    """Yield files of a folder, by name, without hidden files and descriptions.

    Raises `ImageError` if it is too much.
    """
    paths = sorted(p for p in folder.iterdir() if not p.name.startswith("."))
    if len(paths) > MOST:
        raise ImageError(
            f"{folder.name} holds {len(paths):,} files, but at most {MOST:,} are read. Choose some"
            " of them."
        )
    names = {p.stem for p in paths if p.suffix.lower() != ".txt"}
    for path in paths:
        described = path.suffix.lower() == ".txt" and path.stem in names
        if not described:
            yield path


def _description(root: Path, file: Path) -> str:
    text = file.with_suffix(".txt")
    if not text.is_file() or text == file or not text.resolve().is_relative_to(root.resolve()):
        return ""
    try:
        return " ".join(text.read_text(encoding="utf-8-sig")[:1000].split())
    except (OSError, UnicodeDecodeError):
        return ""


def _plain(name: str) -> str:
    return term_key(name.replace("_", " ").replace("-", " "))
