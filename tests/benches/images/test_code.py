"""Code copied from the image bench makes the result on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from biaslab.images import ImageSet, drawn_images
from biaslab.probes.images.simulated_vision import vision
from harness.copied_code import copied, result_of
from harness.image_controller import CONCEPTS, LISTS, RATES, TERMS, Bench


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))


def _bench(images: ImageSet | str) -> Bench:
    model = vision(RATES, lists=CONCEPTS, seed=1)
    return Bench(model, LISTS, images)


def test_the_code_makes_the_result_on_the_screen() -> None:
    drawn = drawn_images(["female nurse", "female chef", "male nurse", "male chef"], per_term=3)
    bench = _bench(drawn)
    bench.tested(level=0.9)
    bench.reply("reject", images=[bench.ids[0]])
    result = bench.controller.result
    assert result.raw_frame().shape[0] < len(TERMS) * 3 + 1
    assert result_of(copied(bench.controller)) == result


def test_pictures_in_memory_are_to_be_filled_in() -> None:
    bench = _bench("noise")
    bench.tested()
    code = copied(bench.controller)
    assert "FILL IN" in code
    assert "not stored with a result" in code
