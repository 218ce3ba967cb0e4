"""Opening pictures of strangers: out come plain, upright pixels without metadata, or a reason."""

from __future__ import annotations

import contextlib
import io
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Pillow
from PIL import ImageCms

from biaslab.errors import ImageError
from biaslab.images import open_image
from biaslab.images.opening import open_pixels
from biaslab.subjects.vision_language.pictures import pixel_hash

SIDES = (48, 32)


def sample(mode: str = "RGB", size: tuple[int, int] = SIDES, seed: int = 0) -> Pillow.Image:
    coarse = np.random.default_rng(seed).integers(0, 256, (4, 4, 3), dtype=np.uint8)
    return Pillow.fromarray(coarse).resize(size, Pillow.Resampling.NEAREST).convert(mode)


def encoded(image: Pillow.Image, kind: str = "PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "BMP", "TIFF", "GIF", "WEBP"])
def test_whatever_the_format_the_same_pixels_have_the_same_hash(kind: str) -> None:
    image = sample("P" if kind == "GIF" else "RGB")
    content = encoded(image, kind, **({"lossless": True} if kind == "WEBP" else {}))
    found = open_image(content, "nurse")
    assert found.hash == pixel_hash(image.convert("RGB"))
    assert found.picture().mode == "RGB"
    assert found.record.provenance == {}
    assert (found.record.width, found.record.height) == SIDES


def test_a_jpeg_is_what_pillow_reads(tmp_path: Path) -> None:
    path = tmp_path / "face.jpg"
    sample().save(path, quality=80)
    found = open_image(path, "  a   nurse ")
    assert found.term == "a nurse"
    assert found.record.provenance == {"file": "face.jpg"}
    with Pillow.open(path) as plain:
        np.testing.assert_array_equal(np.asarray(found.picture()), np.asarray(plain))


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_turns_the_picture_and_then_all_metadata_go(orientation: int) -> None:
    upright = sample()
    undo = {
        2: Pillow.Transpose.FLIP_LEFT_RIGHT, 3: Pillow.Transpose.ROTATE_180,
        4: Pillow.Transpose.FLIP_TOP_BOTTOM, 5: Pillow.Transpose.TRANSPOSE,
        6: Pillow.Transpose.ROTATE_90, 7: Pillow.Transpose.TRANSVERSE,
        8: Pillow.Transpose.ROTATE_270,
    }  # fmt: skip
    stored = upright.transpose(undo[orientation]) if orientation > 1 else upright
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    exif[0x010E] = "secret description"
    exif.get_ifd(0x8825)[1] = "N"  # where it was taken
    content = encoded(stored, exif=exif)
    assert b"secret" in content
    found = open_image(content, "nurse")
    np.testing.assert_array_equal(np.asarray(found.picture()), np.asarray(upright))
    assert b"secret" not in found.png()
    with Pillow.open(io.BytesIO(found.png())) as again:
        assert not again.getexif()
        assert again.info == {}
    assert ("remarks" in found.record.provenance) == (orientation > 1)


def test_sixteen_bits_become_eight() -> None:
    values = np.linspace(0, 65_535, 32 * 32).astype(np.uint16).reshape(32, 32)
    found = open_pixels(encoded(Pillow.fromarray(values)))
    np.testing.assert_allclose(np.asarray(found.image)[..., 0], values / 257, atol=0.51)
    assert found.remarks == ("16 bits reduced to 8",)


def test_colours_of_sixteen_bits_become_eight_and_it_is_told() -> None:
    deep = np.random.default_rng(3).integers(0, 65_536, (20, 24, 3)).astype(">u2")
    rows = b"".join(b"\0" + row.tobytes() for row in deep)
    head = struct.pack(">IIBBBBB", 24, 20, 16, 2, 0, 0, 0)
    content = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    )
    opened = open_pixels(content)
    assert opened.remarks == ("16 bits reduced to 8",)
    found = np.asarray(opened.image).astype(int)
    assert np.abs(found - deep.astype(int) / 257).max() <= 1


def test_numbers_without_a_white_are_refused() -> None:
    with pytest.raises(ImageError, match="floating-point"):
        open_pixels(encoded(Pillow.fromarray(np.zeros((32, 32), np.float32)), "TIFF"))
    deep = Pillow.fromarray(np.full((32, 32), 1_000_000, np.int32))
    with pytest.raises(ImageError, match="beyond 16 bits"):
        open_pixels(encoded(deep, "TIFF"))


def test_cmyk_becomes_rgb_and_is_told() -> None:
    found = open_pixels(encoded(sample("CMYK"), "TIFF"))
    np.testing.assert_array_equal(
        np.asarray(found.image), np.asarray(sample("CMYK").convert("RGB"))
    )
    assert found.remarks == ("converted from CMYK to RGB",)


def test_white_is_put_behind_what_is_transparent() -> None:
    image = sample("RGBA")
    image.putalpha(0)
    found = open_pixels(encoded(image))
    assert (np.asarray(found.image) == 255).all()
    assert "white" in found.remarks[0]


def test_colours_follow_the_profile_and_an_srgb_one_changes_nothing() -> None:
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    assert open_image(encoded(sample(), icc_profile=srgb)).hash == pixel_hash(sample())
    damaged = open_pixels(encoded(sample(), icc_profile=b"no profile"))
    assert "colour profile" in damaged.remarks[0]
    assert pixel_hash(damaged.image) == pixel_hash(sample())


def test_a_large_picture_is_shrunk_unless_told_otherwise() -> None:
    content = encoded(sample(size=(1500, 750)))
    found = open_pixels(content)
    assert found.image.size == (1024, 512)
    assert found.remarks == ("scaled down from 1,500 x 750 to 1,024 x 512 pixels",)
    assert open_pixels(content, largest_side=None).image.size == (1500, 750)


def _png_head(width: int, height: int) -> bytes:
    """A PNG that says how large it is, and is next to nothing."""

    def chunk(name: bytes, body: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(name + body))
        return struct.pack(">I", len(body)) + name + body + check

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * 10_000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (_png_head(50_000, 50_000), "178 million pixels"),
        (_png_head(10_000, 10_000), "10,000 x 10,000 pixels, and at most 64 million"),
        (_png_head(4, 400), "at least 16 x 16"),
        (_png_head(16, 4_000), "too narrow"),
        (b"", "is empty"),
        (b"hello, I am a text " * 9, "not a readable picture"),
        (b"GIF89a", "not a readable picture"),
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "is an SVG"),
        (b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- x -->\n<svg/>', "is an SVG"),
        (b"\0\0\0\x18ftypheic" + b"\0" * 99, "HEIC"),
        (encoded(sample())[:-40], "incomplete"),
        (encoded(sample(), "JPEG")[:-60], "incomplete"),
        (encoded(sample(), "WEBP")[:-30], "incomplete"),
        (encoded(sample(), "TIFF")[:300], "incomplete"),
    ],
    ids=[
        "bomb", "large", "small", "narrow", "empty", "text", "cut head", "svg", "svg after xml",
        "heic", "png", "jpeg", "webp", "tiff",
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_with_a_reason(content: bytes, told: str) -> None:
    with pytest.raises(ImageError, match=told):
        open_image(content, "nurse")


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP", "TIFF"])
def test_moving_pictures_are_refused(kind: str) -> None:
    frames = [sample(seed=seed) for seed in (1, 2, 3)]
    content = encoded(frames[0], kind, save_all=True, append_images=frames[1:])
    with pytest.raises(ImageError, match="animated"):
        open_image(content)


def test_a_path_that_is_no_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="cannot be read"):
        open_image(tmp_path / "none.png")
    with pytest.raises(ImageError, match="not a file"):
        open_image(tmp_path)
    os.mkfifo(tmp_path / "pipe.png")
    with pytest.raises(ImageError, match="not a file"):
        open_image(tmp_path / "pipe.png")


def test_a_file_too_heavy_to_read_is_told_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "huge.png"
    with path.open("wb") as file:
        file.truncate(70_000_000)
    with pytest.raises(ImageError, match="70 MB, and at most 64"):
        open_image(path)


def test_a_file_that_changed_since_is_not_taken_for_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "face.png"
    sample(seed=1).save(path)
    found = open_image(path, "nurse")
    assert found.picture().size == SIDES
    sample(seed=2).save(path)
    with pytest.raises(ImageError, match="has changed"):
        found.picture()
    path.unlink()
    with pytest.raises(ImageError, match="cannot be read"):
        found.picture()


@given(st.data())
def test_no_damage_ends_in_anything_but_a_picture_or_a_reason(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"]))
    content = bytearray(encoded(sample(), kind))
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(1, len(content)))
    with contextlib.suppress(ImageError):
        opened = open_pixels(bytes(content[:cut]))
        assert opened.image.mode == "RGB"
        assert opened.image.info == {}
