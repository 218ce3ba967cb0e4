"""Pictures from a folder, however it is laid out."""

from __future__ import annotations

import os
from pathlib import Path

from biaslab.calls import recorded
from biaslab.images.dataset import holds_dataset, read_dataset
from biaslab.images.folder import read_folder
from biaslab.images.image_set import ImageSet
from biaslab.images.opening import LARGEST_SIDE


@recorded
def read_images(
    folder: str | os.PathLike[str], *, largest_side: int | None = LARGEST_SIDE
) -> ImageSet:
    """Read pictures from a folder: a data set, or one folder for each term.

    Parameters
    ----------
    folder : path
        See `biaslab.images.read_dataset` and `biaslab.images.read_folder`.
    largest_side : int or None
        Longer side in pixels to which larger pictures are shrunk.

    Raises
    ------
    ImageError
        If there is no such folder, or nothing in it can be read.
    MissingExtraError
        If it takes ``datasets`` to read it, which is not installed.
    """
    root = Path(folder).expanduser()
    if holds_dataset(root):
        return read_dataset(root, largest_side=largest_side)
    return read_folder(root, largest_side=largest_side)
