"""Opening pictures that others made: whatever is in the file, out come plain pixels or a reason."""

from __future__ import annotations

import io
import os
import stat
import struct
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from biaslab.errors import ImageError

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

LARGEST_PIXELS = 64_000_000
"""Width times height; told from the head of a file, before anything is unpacked."""
LARGEST_FILE = 64_000_000
"""Bytes."""
LARGEST_SIDE = 1024
"""Pixels to which the longer side is shrunk: models look at 224 to 384."""
SMALLEST_SIDE = 16
NARROWEST = 10
"""The longer side is at most so many times the shorter: models enlarge the shorter one."""
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
"""What is opened, by Pillow's names; JPEG includes MPO, as telephones write it."""
_BROKEN = (
    OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, OverflowError,
    struct.error, zlib.error,
)  # fmt: skip
"""What Pillow's readers raise on damaged files."""
_ORIENTATION = 0x0112
_DEEP_GREY = ("I", "I;16", "I;16L", "I;16B", "I;16N")


@dataclass(frozen=True)
class Opened:
    """A picture as it is used.

    Attributes
    ----------
    image : PIL.Image.Image
        In RGB, 8 bits a channel, upright, with nothing but pixels.
    remarks : tuple of str
        What was changed on the way, in plain words.
    """

    image: PillowImage
    remarks: tuple[str, ...]


def open_pixels(
    source: bytes | str | os.PathLike[str], *, largest_side: int | None = LARGEST_SIDE
) -> Opened:
    """Open a picture from a file or from bytes.

    It is turned as its EXIF data say; then all metadata go. CMYK, 16 bits and transparency become
    plain RGB (white behind what is transparent), and a large picture is shrunk. Each of these is
    among the remarks.

    Parameters
    ----------
    source : bytes or path
        PNG, JPEG, WebP, GIF, BMP or TIFF, told from the content.
    largest_side : int or None
        Longer side in pixels to which larger ones are shrunk; None keeps their size.

    Raises
    ------
    ImageError
        If it is no such picture, truncated or damaged, moving, an SVG, too large, too small or too
        narrow: says what to do.
    """
    from PIL import Image, UnidentifiedImageError

    content, name = _content(source)
    _refuse_by_head(content, name)
    try:
        with warnings.catch_warnings():
            # What they say is said below, and ours is the lower limit of pixels.
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(content), formats=FORMATS)
    except UnidentifiedImageError as error:
        raise ImageError(
            f"{name} is no picture that can be read. Use PNG, JPEG, WebP, GIF, BMP or TIFF."
        ) from error
    except Image.DecompressionBombError as error:
        raise _too_many_pixels(name, "more than 178 million pixels") from error
    except _BROKEN as error:
        raise _damaged(name) from error
    with image:
        _refuse_by_size(image, name)
        try:
            if image.format != "MPO" and getattr(image, "is_animated", False):
                raise ImageError(
                    f"{name} is moving or has several pages. Save the one picture that is meant,"
                    " as PNG or JPEG."
                )
            image.load()
            turned = _upright(image)
        except ImageError:
            raise
        except _BROKEN as error:
            raise _damaged(name) from error
        except MemoryError as error:
            raise ImageError(f"There is not enough memory for {name}. Make it smaller.") from error
        remarks = [] if turned is image else ["turned as its EXIF data said"]
        plain = _rgb(turned, name, remarks)
    plain = _shrunk(plain, largest_side, remarks)
    return Opened(Image.frombytes("RGB", plain.size, plain.tobytes()), tuple(remarks))


def png(image: PillowImage) -> bytes:
    """A picture as a PNG file: its pixels without loss, and nothing else."""
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
                raise ImageError(f"{path} is no file. Give the path of a picture.")
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
            f"{name} is an SVG, which is a program for drawing and can load other files: it is not"
            " opened. Save it as PNG."
        )
    if content[4:12] in (b"ftypheic", b"ftypheix", b"ftypmif1", b"ftypavif"):
        raise ImageError(f"{name} is a HEIC or AVIF picture. Save it as JPEG or PNG.")


def _refuse_by_size(image: PillowImage, name: str) -> None:
    width, height = image.size
    if width * height > LARGEST_PIXELS:
        raise _too_many_pixels(name, f"{width:,} x {height:,} pixels")
    if min(width, height) < SMALLEST_SIDE:
        raise ImageError(
            f"{name} is {width:,} x {height:,} pixels. Use one of at least {SMALLEST_SIDE} x"
            f" {SMALLEST_SIDE}."
        )
    if max(width, height) > NARROWEST * min(width, height):
        raise ImageError(
            f"{name} is {width:,} x {height:,} pixels, which is too narrow for a model. Cut it to"
            f" at most {NARROWEST} : 1."
        )


def _too_many_pixels(name: str, size: str) -> ImageError:
    return ImageError(
        f"{name} has {size}, and at most {LARGEST_PIXELS // 1_000_000} million are opened, since a"
        " small file can unpack to fill the memory. Make it smaller."
    )


def _too_heavy(name: str, size: int) -> ImageError:
    return ImageError(
        f"{name} has {size / 1e6:,.0f} MB, and at most {LARGEST_FILE // 1_000_000} are read. Make"
        " it smaller."
    )


def _damaged(name: str) -> ImageError:
    return ImageError(f"{name} is damaged or not whole. Fetch or save it again.")


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
    except _BROKEN:
        return image  # damaged metadata, which go anyway
    return image if way is None else image.transpose(way)


def _rgb(image: PillowImage, name: str, remarks: list[str]) -> PillowImage:
    from PIL import Image

    mode = image.mode
    if mode in _DEEP_GREY:
        values = np.asarray(image).astype(np.int64)
        if values.min() < 0 or values.max() > 65_535:
            raise ImageError(
                f"{name} holds {mode} numbers beyond 16 bits, whose white nobody can tell. Save it"
                " with 8 or 16 bits."
            )
        remarks.append("16 bits reduced to 8")
        return Image.fromarray(((values + 128) // 257).astype(np.uint8)).convert("RGB")
    if mode == "F":
        raise ImageError(
            f"{name} holds floating-point numbers, whose white nobody can tell. Save it with 8 or"
            " 16 bits."
        )
    image = _standard_colours(image, remarks)
    if image.mode == "RGB":
        return image
    if image.mode == "CMYK":
        remarks.append("CMYK turned into RGB")
        return image.convert("RGB")
    if "A" in image.getbands() or "a" in image.getbands() or "transparency" in image.info:
        remarks.append("white put behind what is transparent")
        whole = image.convert("RGBA")
        white = Image.new("RGBA", whole.size, (255, 255, 255, 255))
        return Image.alpha_composite(white, whole).convert("RGB")
    return image.convert("RGB")


def _standard_colours(image: PillowImage, remarks: list[str]) -> PillowImage:
    """Colours by the profile that came with the picture, as every screen shows them."""
    profile = image.info.get("icc_profile")
    if not profile or image.mode not in ("RGB", "CMYK"):
        return image
    from PIL import ImageCms

    try:
        own = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        if "srgb" in str(ImageCms.getProfileDescription(own)).lower():
            return image
        standard = ImageCms.createProfile("sRGB")
        found = ImageCms.profileToProfile(image, own, standard, outputMode="RGB")
    except (ImageCms.PyCMSError, *_BROKEN):
        remarks.append("its colour profile cannot be read and was left out")
        return image
    if found is None:
        return image
    remarks.append("colours turned into sRGB by its profile")
    return found


def _shrunk(image: PillowImage, side: int | None, remarks: list[str]) -> PillowImage:
    from PIL import Image

    width, height = image.size
    if side is None or max(width, height) <= side:
        return image
    scale = side / max(width, height)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    remarks.append(f"shrunk from {width:,} x {height:,} to {size[0]:,} x {size[1]:,} pixels")
    return image.resize(size, Image.Resampling.LANCZOS)
