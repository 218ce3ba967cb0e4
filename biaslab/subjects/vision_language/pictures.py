"""Pictures for vision-language models: plain pixels with a hash, read in batches."""

from __future__ import annotations

import hashlib
import io
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from biaslab.errors import ImageError, QueryError
from biaslab.subjects.pretrained.memory import is_out_of_memory

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage


BROKEN = (
    OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, OverflowError,
    struct.error, zlib.error,
)  # fmt: skip
"""Errors of Pillow's readers on damaged files."""
SMALLEST_SIDE = 16
NARROWEST = 10
"""Largest ratio of the sides: models enlarge the shorter one."""
_ORIENTATION = 0x0112
_DEEP_GREY = ("I", "I;16", "I;16L", "I;16B", "I;16N")
_REDUCED = "16 bits reduced to 8"


def plain_pixels(image: PillowImage, name: str) -> tuple[PillowImage, tuple[str, ...]]:
    """Normalise a picture opened by Pillow; return the changes as well.

    It is rotated by its EXIF data. CMYK, 16 bits and transparency become plain RGB, with white
    behind transparent areas; colours follow the embedded profile.

    - `image`: it is not changed.
    - `name`: for messages.
    - Returns `plain`: in RGB.
    - Returns `remarks`: in plain words.
    - Raises `ImageError` if it is animated, damaged, or its number range is unknown.
    """
    remarks: list[str] = []
    try:
        if image.format != "MPO" and getattr(image, "is_animated", False):
            raise ImageError(
                f"{name} is animated or has several pages. Save one of its pictures as PNG or JPEG."
            )
        # Pillow cuts colours of 16 bits to 8 without a word.
        cut = any(";16" in repr(tile) for tile in getattr(image, "tile", ()))
        image.load()
        turned = _upright(image)
    except ImageError:
        raise
    except BROKEN as error:
        raise damaged(name) from error
    except MemoryError as error:
        raise ImageError(f"There is not enough memory for {name}. Make it smaller.") from error
    if turned is not image:
        remarks.append("rotated as its EXIF data say")
    if cut and turned.mode not in _DEEP_GREY:
        remarks.append(_REDUCED)
    return _rgb(turned, name, remarks), tuple(remarks)


def refuse_shape(width: int, height: int, name: str) -> None:
    """Refuse a picture that is too small, or too narrow.

    - `width`, `height`: in pixels.
    - `name`: for messages.
    - Raises `ImageError` with the limit.
    """
    if min(width, height) < SMALLEST_SIDE:
        raise ImageError(
            f"{name} is {width:,} x {height:,} pixels. Use one of at least {SMALLEST_SIDE} x"
            f" {SMALLEST_SIDE}."
        )
    if max(width, height) > NARROWEST * min(width, height):
        raise ImageError(
            f"{name} is {width:,} x {height:,} pixels, which is too narrow for a model. Crop it to"
            f" at most {NARROWEST} : 1."
        )


def damaged(name: str) -> ImageError:
    """Return the error of a damaged file."""
    return ImageError(f"{name} is damaged or incomplete. Download or save it again.")


def _upright(image: PillowImage) -> PillowImage:
    from PIL import Image

    ways = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_270,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_90,
    }
    try:
        way = ways.get(image.getexif().get(_ORIENTATION, 1))
    except BROKEN:
        return image  # damaged metadata, which go anyway
    return image if way is None else image.transpose(way)


def _rgb(image: PillowImage, name: str, remarks: list[str]) -> PillowImage:
    from PIL import Image

    mode = image.mode
    if mode in _DEEP_GREY:
        values = np.asarray(image).astype(np.int64)
        if values.min() < 0 or values.max() > 65_535:
            raise ImageError(
                f"{name} holds {mode} values beyond 16 bits, so its white level is unknown. Save"
                " it with 8 or 16 bits."
            )
        remarks.append(_REDUCED)
        return Image.fromarray(((values + 128) // 257).astype(np.uint8)).convert("RGB")
    if mode == "F":
        raise ImageError(
            f"{name} holds floating-point values, so its white level is unknown. Save it with 8 or"
            " 16 bits."
        )
    image = _standard_colours(image, remarks)
    if image.mode == "RGB":
        return image
    if image.mode == "CMYK":
        remarks.append("converted from CMYK to RGB")
        return image.convert("RGB")
    if "A" in image.getbands() or "a" in image.getbands() or "transparency" in image.info:
        remarks.append("white background added behind transparent areas")
        whole = image.convert("RGBA")
        white = Image.new("RGBA", whole.size, (255, 255, 255, 255))
        return Image.alpha_composite(white, whole).convert("RGB")
    return image.convert("RGB")


def _standard_colours(image: PillowImage, remarks: list[str]) -> PillowImage:
    """Convert colours from the embedded profile to sRGB."""
    profile = image.info.get("icc_profile")
    if not profile or image.mode not in ("RGB", "CMYK"):
        return image
    from PIL import ImageCms

    try:
        embedded = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        if "srgb" in str(ImageCms.getProfileDescription(embedded)).lower():
            return image
        standard = ImageCms.createProfile("sRGB")
        converted = ImageCms.profileToProfile(image, embedded, standard, outputMode="RGB")
    except (ImageCms.PyCMSError, *BROKEN):
        remarks.append("its colour profile cannot be read and was ignored")
        return image
    if converted is None:
        return image
    remarks.append("converted to sRGB by its colour profile")
    return converted


_LOOSE = "The picture"


class Picture(Protocol):
    """A picture that a vision-language model can be shown."""

    @property
    def hash(self) -> str:
        """SHA-256 of the pixels, hexadecimal: the same picture has the same one."""

    def picture(self) -> PillowImage:
        """Return the picture in RGB, 8 bits a channel."""


def pixel_hash(image: PillowImage) -> str:
    """Return the SHA-256 of a picture's size and pixels, hexadecimal.

    - `image`: in RGB. File format and metadata do not count.
    """
    width, height = image.size
    digest = hashlib.sha256(f"rgb8 {width} {height}|".encode())
    digest.update(image.tobytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class LoosePicture:
    """A picture that is no part of a set.

    - `image`: in RGB.
    - `hash`: see `pixel_hash`.
    """

    image: Any
    hash: str

    def picture(self) -> PillowImage:
        """Return the picture."""
        image: PillowImage = self.image
        return image


def as_picture(thing: Any) -> Picture:
    """Wrap an image as a `Picture`.

    - `thing`, Picture, PIL.Image.Image or ndarray of uint8 (height, width, 3): a Pillow image is
      normalised like a file: see `plain_pixels`. A file is opened by `biaslab.images.open_image`,
      which refuses too large ones before they are unpacked.
    - Raises `QueryError` if it is none of these; `ImageError` if a Pillow image is moving or
      damaged, or a picture is too small or too narrow.
    """
    if callable(getattr(thing, "picture", None)) and isinstance(getattr(thing, "hash", None), str):
        picture: Picture = thing
        return picture
    from PIL import Image

    if isinstance(thing, np.ndarray):
        if thing.dtype != np.uint8 or thing.ndim != 3 or thing.shape[2] != 3 or not thing.size:
            raise QueryError(
                f"An array of {thing.dtype} {thing.shape} is not a picture. Pass bytes (uint8) of"
                " shape (height, width, 3)."
            )
        thing = Image.fromarray(np.ascontiguousarray(thing))
    if isinstance(thing, Image.Image):
        refuse_shape(*thing.size, _LOOSE)
        plain, _ = plain_pixels(thing, _LOOSE)
        return LoosePicture(plain, pixel_hash(plain))
    raise QueryError(
        f"A {type(thing).__name__} is not a picture. Open files with"
        " biaslab.images.open_image(path)."
    )


MEGABYTE = 1_000_000
#: Pictures that go through the model at once, by kind of device: more are not faster.
PICTURES_AT_ONCE = {"cpu": 16, "cuda": 128}
#: Threads that make pictures ready for a GPU while it is at work.
_HANDS = 8
Out = TypeVar("Out")


class Seeing(Protocol):
    """Interface of a `VisionLanguageModel` for reading."""

    @property
    def model(self) -> Any:
        """The model."""

    @property
    def image_processor(self) -> Any:
        """Processor of pictures."""

    @property
    def device(self) -> str:
        """Device of the model."""

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """Held while it answers."""

    @property
    def fills_up(self) -> bool:
        """Whether a batch with pictures of different sizes is padded."""


def pictures_at_once(vlm: Seeing, each: float, memory_mb: float) -> int:
    """Return how many pictures of this size go into a batch; at least one."""
    most = PICTURES_AT_ONCE["cpu" if vlm.device == "cpu" else "cuda"]
    return max(1, min(most, int(memory_mb * MEGABYTE / each)))


def read_batches(
    vlm: Seeing,
    pictures: Sequence[Picture],
    at_once: int,
    answer: Callable[[dict[str, Any]], Out],
    *,
    between: Callable[[], None] | None = None,
    advance: Callable[[int], None] | None = None,
) -> Iterator[tuple[Sequence[Picture], Out]]:
    """Yield batches of pictures with the model's output.

    - `vlm`: the model.
    - `pictures`: in any order; opened when their batch is next.
    - `at_once`: pictures in a batch. A device that has not enough memory for them gets half as
      many.
    - `answer`: of the model's inputs, under its lock.
    - `between`: called before each batch; an exception from it ends the reading.
    - `advance`: called after each batch with how many pictures it had.
    """
    for some, ready in _ready(vlm, pictures, at_once):
        if between is not None:
            between()
        yield from _answered(vlm, some, ready, answer)
        if advance is not None:
            advance(len(some))


def _ready(
    vlm: Seeing, pictures: Sequence[Picture], at_once: int
) -> Iterator[tuple[Sequence[Picture], dict[str, Any]]]:
    """Yield batches ready for the model; for a GPU in advance."""
    batches = [pictures[at : at + at_once] for at in range(0, len(pictures), at_once)]
    if vlm.device == "cpu" or len(pictures) == 1:
        for batch in batches:
            yield batch, as_seen(vlm, batch)
        return
    hands = max(1, min(_HANDS, (os.cpu_count() or 2) - 1))
    # A model that takes pictures of different sizes pads them within a batch.
    share = at_once if vlm.fills_up else -(-at_once // hands)
    with ThreadPoolExecutor(hands) as pool:

        def begun(batch: Sequence[Picture]) -> list[Any]:
            parts = [batch[at : at + share] for at in range(0, len(batch), share)]
            return [pool.submit(as_seen, vlm, part) for part in parts]

        waiting = [begun(batch) for batch in batches[:2]]
        try:
            for i, batch in enumerate(batches):
                parts = [part.result() for part in waiting.pop(0)]
                if i + 2 < len(batches):
                    waiting.append(begun(batches[i + 2]))
                yield batch, _joined(parts)
        finally:
            for part in (part for parts in waiting for part in parts):
                part.cancel()


def as_seen(vlm: Seeing, pictures: Sequence[Picture]) -> dict[str, Any]:
    """Process pictures with the model's own processor: tensors on the CPU."""
    images = [picture.picture() for picture in pictures]
    inputs = vlm.image_processor(images=images, return_tensors="pt")
    return dict(inputs)


def _joined(parts: list[dict[str, Any]]) -> dict[str, Any]:
    import torch

    if len(parts) == 1:
        return parts[0]
    return {name: torch.cat([part[name] for part in parts]) for name in parts[0]}


def _answered(
    vlm: Seeing,
    pictures: Sequence[Picture],
    ready: dict[str, Any],
    answer: Callable[[dict[str, Any]], Out],
) -> Iterator[tuple[Sequence[Picture], Out]]:
    """Score a batch; halve it while a device has not enough memory for it."""
    import torch

    try:
        with vlm.lock, torch.inference_mode():
            inputs = {name: _moved(vlm, value) for name, value in ready.items()}
            result = answer(inputs)
    except (RuntimeError, MemoryError) as error:
        if len(pictures) == 1 or not is_out_of_memory(error):
            raise
    else:
        yield pictures, result
        return
    # Outside the except clause, which would keep the failed tensors in memory.
    half = len(pictures) // 2
    for part in (slice(None, half), slice(half, None)):
        some = {name: value[part] for name, value in ready.items()}
        yield from _answered(vlm, pictures[part], some, answer)


def _moved(vlm: Seeing, value: Any) -> Any:
    on = value.to(vlm.device)
    return on.to(vlm.model.dtype) if on.is_floating_point() else on
