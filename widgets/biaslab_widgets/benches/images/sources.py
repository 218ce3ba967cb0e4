"""Where the pictures of step 2 come from: uploads, the store, a folder, a data set, Python."""

from __future__ import annotations

import io
import shutil
import stat
import tempfile
import weakref
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from biaslab.errors import ImageError
from biaslab.images.dataset import PART, holds_saved_tables, write_dataset
from biaslab.images.folder import read_folder
from biaslab.images.image import Image, ImageSet, RejectedImage, open_image, term_key
from biaslab.images.sources import keep_images, kept_images, read_images
from biaslab.jobs.job import JobContext
from biaslab.records.wording import counted
from biaslab_widgets.benches.images.set import MOST
from biaslab_widgets.benches.images.thumbnails import ThumbnailCache
from biaslab_widgets.core.bench.uploads import Uploads

GivenImages = ImageSet | Iterable[Image] | str | Path | None
"""What `given_images` takes."""


def given_images(given: GivenImages) -> ImageSet | None:
    """A set of what is given; None for nothing.

    Raises `ImageError` when it is none of these, or cannot be read.
    """
    if given is None or isinstance(given, ImageSet):
        return given
    if isinstance(given, str | Path):
        return read_folder(given)
    images = list(given)
    for one in images:
        if not isinstance(one, Image):
            raise ImageError(
                f"A {type(one).__name__} is not a picture with a term. Open it with"
                " biaslab.images.open_image(path, term), or pass a folder."
            )
    return ImageSet.of(images)


LARGEST_MB = 200
"""Of a data set that is brought in, packed."""
LARGEST_UNPACKED_MB = 1_000
"""Of what is in it."""
_TABLES = ("metadata.jsonl", "metadata.csv")


class PictureFiles:
    """A folder of its own for pictures that came as bytes: they are not held in memory.

    It goes with the object.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._count = 0

    def new_folder(self) -> Path:
        """An empty folder."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="biaslab-images-"))
            # A TemporaryDirectory would warn that nobody has cleaned it up.
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._count += 1
        path = self._folder / str(self._count)
        path.mkdir()
        return path

    def put(self, image: Image, folder: Path) -> Image:
        """The same picture, read from a file here instead of from memory."""
        path = folder / f"{image.hash}.png"
        if not path.exists():
            path.write_bytes(image.png())
        return Image(image.record, open_image(path, image.term, largest_side=None).opener)


def uploaded(
    term: str,
    files: Sequence[Mapping[str, Any]],
    uploads: Uploads,
    places: PictureFiles,
    cache: ThumbnailCache,
) -> ImageSet:
    """Pictures that a person has uploaded; what cannot be used is among the rejected.

    - `term`: what they show.
    - `files`: ``name`` with ``content`` in base64, or with ``parcel``; perhaps ``description``.
    - Raises `ImageError` when there is no file.
    """
    if not files:
        raise ImageError("There are no pictures. Choose some.")
    folder = places.new_folder()
    images: list[Image] = []
    rejected: list[RejectedImage] = []
    for file in files:
        name = _plain_name(file)
        try:
            described = str(file.get("description", ""))
            content = uploads.whole({**file, "name": name})
            image = open_image(content, term, name=name, description=described)
            cache.put(image.hash, image.picture())
            images.append(places.put(image, folder))
        except ImageError as error:
            # A person knows the file by its name, and that stands beside the reason.
            rejected.append(RejectedImage(name, term, str(error).replace("The picture", name)))
    return ImageSet.of(images, rejected=rejected)


def _plain_name(file: Mapping[str, Any]) -> str:
    return PurePath(str(file.get("name") or "picture").replace("\\", "/")).name


def named_folder(path: str) -> Path:
    """The folder on this machine that a person has named.

    Raises `ImageError` when nothing is named, or there is no such folder.
    """
    if not path.strip():
        raise ImageError("Name a folder with one subfolder of pictures per term.")
    root = Path(path.strip()).expanduser()
    if not root.is_dir():
        raise ImageError(f"There is no folder {root}. Check the path.")
    return root


def from_folder(root: Path, terms: Sequence[str], context: JobContext | None = None) -> ImageSet:
    """Pictures of a folder on this machine: a folder for each term, or a data set."""
    (context or JobContext()).report(0, 1, f"reading {root.name}")
    return of_terms(read_images(root), terms)


def from_store(terms: Iterable[str]) -> ImageSet:
    """Pictures that were kept for these terms."""
    return kept_images(terms)


def to_keep(images: Sequence[Image]) -> list[Image]:
    """Pictures that can be kept for later; drawn ones can be drawn again.

    Raises `ImageError` when there is none.
    """
    own = [image for image in images if image.record.source != "drawn"]
    if not own:
        raise ImageError(f"There are no pictures to store.{_beside(len(images))}")
    return own


def keep(images: Sequence[Image], drawn: int, context: JobContext | None = None) -> str:
    """Keep pictures for later, and say so.

    - `images`: see `to_keep`.
    - `drawn`: how many drawn portraits there are beside them.
    """
    (context or JobContext()).report(0, len(images), "keeping pictures")
    new = keep_images(images)
    there = len(images) - new
    text = f"{new:,} kept" + (f", {there:,} were already stored" if there else "")
    return f"{text}.{_beside(drawn)}"


def _beside(drawn: int) -> str:
    return " Drawn portraits are not stored because they can be drawn again." if drawn else ""


def pack(images: ImageSet, name: str, context: JobContext | None = None) -> tuple[str, str, str]:
    """A set as a Hugging Face image folder in a zip file: its name, its media type, base64.

    Raises `ImageError` when there is no picture.
    """
    import base64

    context = context or JobContext()
    context.report(0, len(images), "packing pictures")
    with tempfile.TemporaryDirectory(prefix="biaslab-images-") as place:
        folder = write_dataset(_Reported(images, context), Path(place) / name)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    archive.write(path, path.relative_to(folder.parent).as_posix())
        content = base64.b64encode(out.getvalue()).decode("ascii")
    return f"{name}.zip", "application/zip", content


class _Reported(ImageSet):
    """A set that tells when its pictures are gone through."""

    def __init__(self, images: ImageSet, context: JobContext) -> None:
        super().__init__(images.images, images.rejected, images.notes)
        object.__setattr__(self, "context", context)

    def __iter__(self) -> Any:
        for number, image in enumerate(self.images):
            self.context.checkpoint()  # type: ignore[attr-defined]  # set above
            self.context.report(number, len(self.images), "packing pictures")  # type: ignore[attr-defined]
            yield image


def unpacked(
    name: str,
    content: bytes,
    terms: Sequence[str],
    places: PictureFiles,
    context: JobContext | None = None,
) -> ImageSet:
    """Pictures of a zip file: a data set with its table, or a folder for each term.

    - `name`: of the file, for messages.
    - `terms`: those on the screen: pictures of others wait until their term is there.
    - Raises `ImageError` when it is no such file, is too large, or an entry leads out of it;
      nothing is taken then.
    """
    context = context or JobContext()
    context.report(0, 1, f"opening {name}")
    folder = places.new_folder()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _extract(archive, folder, name, context)
    except (
        zipfile.BadZipFile,
        NotImplementedError,
        RuntimeError,
        EOFError,
        UnicodeDecodeError,
    ) as error:
        raise ImageError(
            f"{name} is not a zip file that can be opened: {error}. Pack the folder again, without"
            " a password."
        ) from error
    try:
        root = _root_of(folder)
        if holds_saved_tables(root):
            # A stranger's table may unpack to any size.
            raise ImageError(
                f"{name} contains Arrow or Parquet tables, which are not opened here. Read them in "
                "Python with biaslab.images.read_dataset(folder), or pack an image folder."
            )
        return of_terms(read_images(root), terms)
    except ImageError as error:
        raise ImageError(str(error).replace(str(folder), name)) from None


def of_terms(images: ImageSet, terms: Sequence[str]) -> ImageSet:
    """A set with a problem told of terms that are not on the screen."""
    known = {term_key(term) for term in terms}
    other = [term for term in images.terms if term_key(term) not in known]
    if not other:
        return images
    listed = ", ".join(map(repr, other[:5])) + (f" and {len(other) - 5} more" * (len(other) > 5))
    count = sum(term_key(image.term) not in known for image in images)
    note = (
        f"Not in the lists are the terms of {counted(count, 'picture')}: {listed}. They are used"
        " once you add the term in step 1."
    )
    return ImageSet(images.images, images.rejected, (*images.notes, note))


def _root_of(folder: Path) -> Path:
    """The folder that is meant: a zip file mostly holds one that holds all."""
    inside = [p for p in folder.iterdir() if not p.name.startswith((".", "__MACOSX"))]
    alone = len(inside) == 1 and inside[0].is_dir() and inside[0].name != PART
    if alone and any(p.is_dir() or p.name in _TABLES for p in inside[0].iterdir()):
        return inside[0]
    return folder


def _extract(archive: zipfile.ZipFile, folder: Path, name: str, context: JobContext) -> None:
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > MOST + 100:
        raise ImageError(f"{name} holds {len(entries):,} files; at most {MOST:,} can be uploaded.")
    size = sum(entry.file_size for entry in entries)
    if size > LARGEST_UNPACKED_MB * 1_000_000:
        raise ImageError(
            f"{name} unpacks to {size / 1e6:,.0f} MB; at most {LARGEST_UNPACKED_MB:,} MB can be"
            " uploaded. Use a part of it, or read the folder in Python with biaslab.images."
        )
    for entry in entries:
        parts = PurePosixPath(entry.filename.replace("\\", "/")).parts
        leads_out = not parts or ".." in parts or parts[0] == "/" or ":" in parts[0]
        if leads_out or stat.S_ISLNK(entry.external_attr >> 16):
            raise ImageError(
                f"{name} holds “{entry.filename}”, which points outside of it. Nothing was added."
            )
    done = 0
    for number, entry in enumerate(entries):
        context.checkpoint()
        context.report(number, len(entries), f"unpacking {name}")
        path = folder.joinpath(*PurePosixPath(entry.filename.replace("\\", "/")).parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(entry) as packed, path.open("wb") as out:
            # What the head says of the size may be a lie.
            while piece := packed.read(1 << 20):
                done += len(piece)
                if done > LARGEST_UNPACKED_MB * 1_000_000:
                    shutil.rmtree(folder, ignore_errors=True)
                    raise ImageError(f"{name} unpacks to more than it declares and was rejected.")
                out.write(piece)
