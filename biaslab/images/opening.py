"""Open untrusted pictures as plain pixels, or raise an error with a reason."""

from __future__ import annotations

import io
import os
import stat
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.errors import ImageError
from biaslab.subjects.vision_language.pictures import BROKEN, damaged, plain_pixels, refuse_shape

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

LARGEST_PIXELS = 64_000_000
"""Width times height; read from the header, before anything is decompressed."""
LARGEST_FILE = 64_000_000
"""Bytes."""
LARGEST_SIDE = 1024
"""Pixels to which the longer side is shrunk: models look at 224 to 384."""
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
"""Accepted formats, by Pillow's names; JPEG includes MPO, as phones write it."""


@dataclass(frozen=True)
class Opened:
    """An opened picture.

    - `image`: in RGB, 8 bits a channel, upright, with nothing but pixels.
    - `remarks`: changes made on opening, in plain words.
    """

    image: PillowImage
    remarks: tuple[str, ...]


def open_pixels(
    source: bytes | str | os.PathLike[str], *, largest_side: int | None = LARGEST_SIDE
) -> Opened:
    """Open a picture from a file or from bytes.

    It is rotated by its EXIF data; then all metadata are dropped. CMYK, 16 bits and transparency
    become plain RGB (white behind transparent areas), and a large picture is shrunk. The remarks
    list these changes.

    - `source`: PNG, JPEG, WebP, GIF, BMP or TIFF, detected from the content.
    - `largest_side`: longest side in pixels, to which larger ones are shrunk; None keeps their
      size.
    - Raises `ImageError` if it is no such picture, truncated or damaged, moving, an SVG, too large,
      too small or too narrow: gives reason and remedy.
    """
    from PIL import Image, UnidentifiedImageError

    content, name = _content(source)
    _refuse_by_head(content, name)
    try:
        with warnings.catch_warnings():
            # Pillow's warnings repeat the checks below, whose limit is lower.
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(content), formats=FORMATS)
    except UnidentifiedImageError as error:
        raise ImageError(
            f"{name} is not a readable picture. Use PNG, JPEG, WebP, GIF, BMP or TIFF."
        ) from error
    except Image.DecompressionBombError as error:
        raise _too_many_pixels(name, "more than 178 million pixels") from error
    except BROKEN as error:
        raise damaged(name) from error
    with image:
        _refuse_by_size(image, name)
        plain, note = plain_pixels(image, name)
    remarks = [*note]
    plain = _shrunk(plain, largest_side, remarks)
    return Opened(Image.frombytes("RGB", plain.size, plain.tobytes()), tuple(remarks))


def png(image: PillowImage) -> bytes:
    """Return a picture as a PNG file: its pixels without loss, and nothing else."""
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _content(source: bytes | str | os.PathLike[str]) -> tuple[bytes, str]:
    if isinstance(source, bytes | bytearray | memoryview):
        content, name = bytes(source), "The picture"
    else:
        path = Path(source).expanduser()
        name = path.name
        try:
            about = path.stat()
            if not stat.S_ISREG(about.st_mode):
                raise ImageError(f"{path} is not a file. Give the path of a picture.")
            if about.st_size > LARGEST_FILE:
                raise _too_heavy(name, about.st_size)
            content = path.read_bytes()
        except OSError as error:
            raise ImageError(
                f"{path} cannot be read: {error.strerror or error}. Check the path."
            ) from error
    if not content:
        raise ImageError(f"{name} is empty. Choose another file.")
    if len(content) > LARGEST_FILE:
        raise _too_heavy(name, len(content))
    return content, name


def _refuse_by_head(content: bytes, name: str) -> None:
    head = content[:2048].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if b"<svg" in head or (head.startswith(b"<?xml") and b"svg" in content[:16384].lower()):
        raise ImageError(
            f"{name} is an SVG, which is not opened because it can load other files. Save it as"
            " PNG."
        )
    if content[4:12] in (b"ftypheic", b"ftypheix", b"ftypmif1", b"ftypavif"):
        raise ImageError(f"{name} is a HEIC or AVIF picture. Save it as JPEG or PNG.")


def _refuse_by_size(image: PillowImage, name: str) -> None:
    width, height = image.size
    if width * height > LARGEST_PIXELS:
        raise _too_many_pixels(name, f"{width:,} x {height:,} pixels")
    refuse_shape(width, height, name)


def _too_many_pixels(name: str, size: str) -> ImageError:
    return ImageError(
        f"{name} has {size}, and at most {LARGEST_PIXELS // 1_000_000} million are opened, because"
        " a small file can unpack to fill the memory. Make it smaller."
    )


def _too_heavy(name: str, size: int) -> ImageError:
    return ImageError(
        f"{name} has {size / 1e6:,.0f} MB, and at most {LARGEST_FILE // 1_000_000} are read. Make"
        " it smaller."
    )


def _shrunk(image: PillowImage, side: int | None, remarks: list[str]) -> PillowImage:
    from PIL import Image

    width, height = image.size
    if side is None or max(width, height) <= side:
        return image
    scale = side / max(width, height)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    remarks.append(f"scaled down from {width:,} x {height:,} to {size[0]:,} x {size[1]:,} pixels")
    return image.resize(size, Image.Resampling.LANCZOS)
