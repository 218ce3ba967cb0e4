"""The image bench as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

import io
from typing import Any

from biaslab.probes.images.result import ImageAssociation
from harness.bench_hosts import AppBench, NotebookBench
from harness.three_steps import ThreeStepsHost, ThreeStepsPage

TRUTH, CLIP = "simulated vision", "portrait-clip"
EACH = 4
LISTS: list[dict[str, Any]] = [
    {"name": "women", "terms": ["female nurse", "female scientist"], "kind": "groups"},
    {"name": "men", "terms": ["male nurse", "male scientist"], "kind": "groups"},
    {"name": "helpers", "terms": ["helper", "assistant"], "kind": "attributes", "of": ["women"]},
    {"name": "experts", "terms": ["expert", "specialist"], "kind": "attributes", "of": ["men"]},
]
FEW: dict[str, Any] = {"lists": LISTS, "spec": "", "models": [CLIP, TRUTH], "per_term": EACH}
"""A test that is soon over."""
COUNT = 4 * EACH


class Images(ThreeStepsPage):
    """One image bench on a page."""

    def looked(self) -> Images:
        """Wait until the card says what is known of the picture that is looked at."""
        self.settle()
        self.waited(
            """root => {
                const card = root.querySelector('[data-testid="card"]').dataset;
                return root.dataset.image !== "" && card.detailed === root.dataset.image;
            }"""
        )
        return self


class Host(ThreeStepsHost[Images, ImageAssociation]):
    """A page that shows the image bench over the bundled model and a simulated one."""

    few = FEW
    bench_page = Images
    result_type = ImageAssociation


class NotebookHost(NotebookBench[Images, ImageAssociation], Host):
    """JupyterLab with an image bench."""

    setup = "from biaslab_widgets import ImageBench"
    made = "ImageBench()"


class AppHost(AppBench[Images, ImageAssociation], Host):
    """The app's page of pictures."""

    path = "/images?seed=0"
    own_input = "morph_observer"


def photograph(colour: tuple[int, int, int], kind: str = "PNG", side: int = 64) -> bytes:
    """A picture of one colour, as a file."""
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (side, side), colour).save(out, kind)
    return out.getvalue()
