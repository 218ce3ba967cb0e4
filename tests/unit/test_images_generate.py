"""Pictures from a painter: asked, opened as a stranger's, kept, however the server misbehaves."""

from __future__ import annotations

import base64
import io
import json
import pickle
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow

from biaslab.errors import EndpointAnswerError, EndpointError, ImageError
from biaslab.images import (
    PROMPTS,
    EndpointPainter,
    LocalPainter,
    Painted,
    generate_images,
    kept_images,
    prompt,
)
from biaslab.images.opening import png
from biaslab.jobs.context import reporting_to
from biaslab.jobs.job import JobContext
from biaslab.probes.images import drawn_people
from biaslab.store import Store
from harness.cancelled import Cancelled
from harness.needs import needs
from harness.scripted_model_server import Scripted, scripted_server

pytestmark = [needs("openai"), pytest.mark.usefixtures("bare_environment")]

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def picture(seed: int) -> bytes:
    coarse = np.random.default_rng(seed).integers(0, 256, (4, 4, 3), dtype=np.uint8)
    return png(Pillow.fromarray(coarse).resize((32, 32), Pillow.Resampling.NEAREST))


def sent(content: bytes) -> Scripted:
    data = [{"b64_json": base64.b64encode(content).decode()}]
    return Scripted(raw=json.dumps({"created": 1, "data": data}))


def good(body: dict[str, Any], number: int) -> Scripted:
    return sent(picture(number))


def painter(url: str, **options: Any) -> EndpointPainter:
    made = EndpointPainter("scripted", base_url=url, key=KEY, **options)
    made.endpoint.wait = lambda seconds, context: None
    return made


def test_a_good_server_gives_what_is_asked_and_it_is_found_again(store: Store) -> None:
    with scripted_server(good) as server:
        made = generate_images(
            ["nurse", "old judge"], painter(server.url), per_term=2, store=store, style="face"
        )
    assert made.missing == {}
    assert made.problems == ()
    assert [i.term for i in made.images] == ["nurse", "nurse", "old judge", "old judge"]
    assert server.requests[2]["prompt"] == prompt("face", "old judge")
    assert server.requests[0]["authorization"] == f"Bearer {KEY}"
    assert server.requests[0]["response_format"] == "b64_json"
    record = made.images.images[0].record
    assert record.source == f"made by scripted at {server.url}"
    assert record.provenance["prompt"] == prompt("face", "nurse")
    assert "from the prompt" in record.description
    assert kept_images(["nurse", "old judge"], store=store).images == made.images.images


def test_the_key_is_in_nothing_that_stays(store: Store, tmp_path: Path) -> None:
    refusal = Scripted(f"Incorrect key {KEY} for this", 401)
    with scripted_server(lambda body, n: good(body, n) if n == 0 else refusal) as server:
        asked = painter(server.url)
        made = generate_images(["nurse"], asked, per_term=2, store=store)
        with pytest.raises(EndpointError, match="rejects this key") as caught:
            generate_images(["nurse"], asked, per_term=2, store=store)
    shown = "".join(traceback.format_exception(caught.value)) + repr(asked) + repr(made)
    assert KEY not in shown
    assert "key" in made.problems[-1]
    assert made.missing == {"nurse": 1}
    for file in (tmp_path / "store").rglob("*"):
        assert file.is_dir() or KEY.encode() not in file.read_bytes()
    with pytest.raises(pickle.PicklingError, match="cannot be sent to another process"):
        pickle.dumps(asked)


def test_a_term_that_is_refused_leaves_the_others(store: Store) -> None:
    def strict(body: dict[str, Any], number: int) -> Scripted:
        if "nurse" in body["prompt"]:
            return Scripted("This is against our policy", 400)
        return good(body, number)

    with scripted_server(strict) as server:
        made = generate_images(["nurse", "judge"], painter(server.url), per_term=2, store=store)
    assert made.missing == {"nurse": 2}
    assert "against our policy" in made.problems[0]
    assert made.images.terms == ("judge",)
    assert len(server.requests) == 3


def test_a_server_that_must_not_be_asked_for_the_form_is_not(store: Store) -> None:
    def strict(body: dict[str, Any], number: int) -> Scripted:
        if "response_format" in body:
            return Scripted("Unknown parameter: 'response_format'", 400)
        return good(body, number)

    with scripted_server(strict) as server:
        made = generate_images(["nurse"], painter(server.url), per_term=3, store=store)
    assert len(made.images) == 3
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Scripted(raw='{"created": 1, "data": [{"url": "http://127.0.0.1/x"}]}'), "not fetched"),
        (Scripted(raw='{"created": 1, "data": []}'), "unreadable answer"),
        (Scripted(raw='{"created": 1, "data": [{"b64_json": "%%%"}]}'), "unreadable answer"),
        (Scripted(raw='{"created": 1, "da'), "unreadable answer"),
    ],
    ids=["address", "nothing", "no base64", "cut off"],
)
def test_an_answer_without_a_picture_is_a_problem_and_not_an_end(
    answer: Scripted, told: str, store: Store
) -> None:
    def odd(body: dict[str, Any], number: int) -> Scripted:
        return answer if "nurse" in body["prompt"] else good(body, number)

    with scripted_server(odd) as server:
        made = generate_images(["nurse", "judge"], painter(server.url), per_term=1, store=store)
    assert told in made.problems[0]
    assert made.images.terms == ("judge",)


def test_what_a_painter_sends_is_opened_as_a_stranger_s_file(store: Store) -> None:
    contents = [b"<svg/>", picture(1)[:-30], picture(1), picture(1), picture(2)]
    with scripted_server(lambda body, n: sent(contents[min(n, 4)])) as server:
        made = generate_images(["nurse"], painter(server.url), per_term=3, store=store)
    assert len(made.images) == 2
    assert made.missing == {"nurse": 1}
    reasons = [r.reason for r in made.images.rejected]
    assert "SVG" in reasons[0]
    assert "incomplete" in reasons[1]
    assert "a duplicate" in reasons[2]


def test_nobody_at_the_address_and_no_key_are_told(store: Store) -> None:
    with scripted_server(good) as server:
        url = server.url
    with pytest.raises(EndpointError, match="cannot be reached"):
        generate_images(["nurse"], painter(url), store=store)
    with pytest.raises(EndpointError, match="OPENAI_API_KEY"):
        EndpointPainter("any")


class Counting(JobContext):
    """A context that keeps what it is told, and cancels after some pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[Any] = []

    def keep(self, partial: Any) -> None:
        self.kept.append(partial)


def test_what_is_there_is_kept_while_it_goes_on(store: Store) -> None:
    context = Counting()
    with scripted_server(good) as server, reporting_to(context):
        generate_images(["nurse"], painter(server.url), per_term=3, store=store)
    assert [len(partial.images) for partial in context.kept] == [1, 2, 3]


@pytest.mark.parametrize("style", PROMPTS)
def test_each_style_asks_for_the_term_with_its_article(style: str) -> None:
    assert "a nurse" in prompt(style, " nurse ")
    assert "an old judge" in prompt(style, "old judge")
    assert "the judge" in prompt(style, "the judge")
    assert "a the" not in prompt(style, "the judge")


def test_a_prompt_of_one_s_own_and_an_unknown_style() -> None:
    assert prompt("A drawing of {term}, in ink.", "nurse") == "A drawing of a nurse, in ink."
    for style in ("shouting", "{term} {term}"):
        with pytest.raises(ImageError, match="choose one of"):
            prompt(style, "nurse")
    with pytest.raises(ImageError, match="no term"):
        prompt("portrait", " ")


class Fixed:
    """A painter of one picture for each prompt, again and again."""

    name = "fixed"

    def paint(self, prompt: str, number: int, context: JobContext) -> Painted:
        return Painted(picture(len(prompt)))


def test_a_painter_that_repeats_itself_is_asked_twice_as_often_at_most(store: Store) -> None:
    made = generate_images(["nurse"], Fixed(), per_term=3, store=store)
    assert len(made.images) == 1
    assert made.missing == {"nurse": 2}
    assert len(made.images.rejected) == 5
    with pytest.raises(ImageError, match="nothing to make"):
        generate_images([], Fixed())


def test_a_store_that_cannot_be_used_is_said_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "biaslab.sqlite").write_bytes(b"no database" * 100)
    made = generate_images(["nurse", "judge"], Fixed(), per_term=1, store=Store(tmp_path))
    assert len(made.images) == 2
    assert "not cached" in made.problems[0]
    assert len(made.problems) == 1


def tiny_pipeline() -> Any:
    """A Stable Diffusion pipeline with random weights, small enough for a test."""
    import torch
    from diffusers import AutoencoderKL, DDIMScheduler, StableDiffusionPipeline
    from diffusers import UNet2DConditionModel as Denoiser
    from transformers import CLIPTextConfig, CLIPTextModel

    from harness.tiny_vision_language import whole_words

    tokenizer = whole_words()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        denoiser = Denoiser(
            sample_size=8, in_channels=4, out_channels=4, layers_per_block=1,
            block_out_channels=(8, 16), norm_num_groups=4, cross_attention_dim=16,
            attention_head_dim=4, down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        )  # fmt: skip
        decoder = AutoencoderKL(
            block_out_channels=(8, 16), norm_num_groups=4, latent_channels=4, sample_size=16,
            down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
        )  # fmt: skip
        text = CLIPTextModel(
            CLIPTextConfig(
                vocab_size=len(tokenizer),
                hidden_size=16,
                intermediate_size=16,
                num_hidden_layers=1,
                num_attention_heads=2,
                max_position_embeddings=24,
                bos_token_id=1,
                eos_token_id=3,
                pad_token_id=0,
            )
        )
    return StableDiffusionPipeline(
        vae=decoder, text_encoder=text, tokenizer=tokenizer, unet=denoiser,
        scheduler=DDIMScheduler(steps_offset=1, clip_sample=False), safety_checker=None,
        feature_extractor=None, requires_safety_checker=False,
    )  # fmt: skip


def test_a_picture_is_left_between_two_steps_when_it_is_cancelled() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("diffusers")
    cancelled, pipeline = Cancelled(3), tiny_pipeline()
    pipeline.unet.register_forward_pre_hook(lambda *_: cancelled.step())
    cancelled.run(LocalPainter(pipeline, steps=20, size=32).paint, "a nurse", 0)
    assert cancelled.steps == 3


def test_a_pipeline_here_makes_the_same_pictures_from_the_same_seed(
    store: Store, tmp_path: Path
) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("diffusers")
    pipeline = tiny_pipeline()
    before = torch.random.get_rng_state()
    made = generate_images(
        ["nurse"], LocalPainter(pipeline, seed=5, steps=2, size=32), per_term=2, store=store
    )
    assert len(made.images) == 2
    assert made.images.images[0].record.provenance["seed"] == 5
    assert made.images.images[0].record.source == "made by StableDiffusionPipeline"
    assert torch.equal(before, torch.random.get_rng_state())
    pipeline.save_pretrained(tmp_path / "tiny")
    opened = LocalPainter.load(tmp_path / "tiny", device="cpu", seed=5, steps=2, size=32)
    assert opened.name == "tiny"
    by_hand = dict(zip((i.hash for i in made.images), ("woman", "cannot say"), strict=True))
    asked = drawn_people(opened, ["nurse"], by_hand, per_word=2, keep=False)
    assert [i.hash for i in asked.images] == [i.hash for i in made.images]
    assert (asked.painter, asked.shares[0].share, asked.shares[0].n_images) == ("tiny", 1, 2)


def test_a_picture_that_a_pipeline_blackened_is_no_picture() -> None:
    class Careful:
        def __call__(self, prompt: str, **options: Any) -> Any:
            black = Pillow.new("RGB", (32, 32))
            return type("Out", (), {"images": [black], "nsfw_content_detected": [True]})()

    pytest.importorskip("torch")
    with pytest.raises(EndpointAnswerError, match="blacked it out"):
        LocalPainter(Careful()).paint("nurse", 0, JobContext())


def test_a_folder_without_a_pipeline_or_with_pickled_weights_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("diffusers")
    with pytest.raises(ImageError, match=r"no model_index\.json"):
        LocalPainter.load(tmp_path)
    pipeline = tiny_pipeline()
    pipeline.save_pretrained(tmp_path / "pickled", safe_serialization=False)
    assert list((tmp_path / "pickled").rglob("*.bin"))
    with pytest.raises(ImageError, match="cannot be opened as a diffusers pipeline"):
        LocalPainter.load(tmp_path / "pickled", device="cpu")


def test_a_thumbnail_of_a_made_picture_is_small(store: Store) -> None:
    made = generate_images(["nurse"], Fixed(), per_term=1, store=store)
    with Pillow.open(io.BytesIO(made.images.images[0].thumbnail(16))) as small:
        assert small.size == (16, 16)
