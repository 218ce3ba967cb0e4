"""The stimulus patched in at each layer: equal to the plain task at the input, and to the truth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import QueryError, SubjectError, WrongSubjectError
from biaslab.jobs.context import reporting_to
from biaslab.probes.psychometrics import FramedModel, LayersResult
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.patching import Patch, blocks_of, read_layers
from biaslab.subjects.language_model.reading import Blend, Look
from harness import tiny_language_models
from harness.heavy import torch
from harness.layered_models import FRAMES, gpt2
from harness.watched_context import Watched

CUES = ("she", "he")
ALPHAS = np.array([0.0, 0.3, 0.5, 1.0])
MODELS = {
    "bert": "mlm", "roberta": "mlm", "deberta": "mlm", "deberta_v2": "mlm", "modernbert": "mlm",
    "gpt2": "clm", "llama": "clm",
}  # fmt: skip


def _tiny(name: str) -> LanguageModel:
    torch.manual_seed(1)
    model, tokenizer = getattr(tiny_language_models, name)()
    return LanguageModel(model, tokenizer, kind=MODELS[name], name=name)  # type: ignore[arg-type]


def _looks(lm: LanguageModel, text: str = "The nurse is here, and she isn't there.") -> list[Look]:
    """A blend of two tokens at the third place, read at one of the last."""
    ids = lm.tokenize(text).ids.copy()
    at = np.array([len(ids) - 2, len(ids) - 2])
    if lm.kind == "mlm":
        ids[at] = lm.tokenizer.mask_token_id
    first, second = (np.array([[token]]) for token in (20, 30))
    return [Look(ids, at, np.array([21, 31]), Blend(2, first, second))]


def _asked(lm: Any, **given: Any) -> LayersResult:
    return bl.two_afc_layers(lm, ["nurse"], CUES, observers=FRAMES, **{"levels": 5, **given})


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("patch", ["text", "cue"])
def test_layer_0_is_the_blend_of_input_embeddings(name: str, patch: Patch) -> None:
    lm = _tiny(name)
    looks = _looks(lm)
    found = read_layers(lm, looks, ALPHAS, [0], patch=patch, memory_mb=64)
    plain = lm.read([replace(look, alpha=a) for look in looks for a in ALPHAS], memory_mb=64)
    for i, values in enumerate(found):
        np.testing.assert_allclose(values[0], plain[4 * i : 4 * i + 4], atol=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_pure_cues_are_answered_the_same_at_every_layer(name: str) -> None:
    lm = _tiny(name)
    looks = _looks(lm)
    plain = lm.read([replace(looks[0], alpha=end) for end in (0.0, 1.0)], memory_mb=64)
    for layer in range(len(blocks_of(lm)) + 1):
        alone = read_layers(lm, looks, ALPHAS, [layer], memory_mb=64)[0][0]
        np.testing.assert_allclose(alone[[0, -1]], plain, atol=1e-5)
        together = read_layers(lm, looks, ALPHAS, [0, layer] if layer else [0], memory_mb=64)
        np.testing.assert_allclose(together[0][-1], alone, atol=1e-5)


def _by_hidden_states(lm: LanguageModel, look: Look, layer: int, patch: Patch) -> list[Any]:
    """The same by GPT-2's own parts: hidden states, and a loop over its blocks."""
    body: Any = lm.model.transformer
    assert look.blend is not None
    runs = []
    for alpha in (0.0, 1.0):
        embedded = lm.model.get_input_embeddings()(torch.from_numpy(look.ids))[None]
        side = look.blend.first if alpha == 0 else look.blend.second
        cue = lm.model.get_input_embeddings()(torch.from_numpy(side)).mean(dim=1)
        embedded[0, look.blend.start : look.blend.start + len(cue)] = cue
        runs.append(lm.model(inputs_embeds=embedded, output_hidden_states=True).hidden_states)
    start, end = look.blend.start, look.blend.start + len(look.blend.first)
    out = []
    for alpha in ALPHAS:
        share = torch.full((1, len(look.ids), 1), alpha if patch == "text" else 0.5)
        share[0, start:end] = alpha
        states = (1 - share) * runs[0][layer] + share * runs[1][layer]
        for block in body.h[layer:]:
            states = block(states)
            states = states[0] if isinstance(states, tuple) else states
        logits = lm.model.lm_head(body.ln_f(states))[0, look.positions]
        out.append(torch.log_softmax(logits, dim=-1)[range(len(look.targets)), look.targets])
    return [values.detach().numpy() for values in out]


@pytest.mark.parametrize("patch", ["text", "cue"])
def test_a_loop_over_the_blocks_of_gpt2_answers_the_same(patch: Patch) -> None:
    lm = _tiny("gpt2")
    for look in _looks(lm):
        found = read_layers(lm, [look], ALPHAS, [1], patch=patch, memory_mb=64)[0][0]
        np.testing.assert_allclose(found, _by_hidden_states(lm, look, 1, patch), atol=1e-5)


def test_texts_of_other_lengths_in_a_batch_change_nothing() -> None:
    lm = _tiny("gpt2")
    longer = "The old man thanked the young woman for the unbelievable science lesson."
    looks = [*_looks(lm), *_looks(lm, longer)]
    together = read_layers(lm, looks, ALPHAS, [0, 1, 2], memory_mb=64)
    alone = [read_layers(lm, [look], ALPHAS, [0, 1, 2], memory_mb=64)[0] for look in looks]
    small = read_layers(lm, looks, ALPHAS, [0, 1, 2], memory_mb=0.01)
    for one, other, third in zip(together, alone, small, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
        np.testing.assert_allclose(one, third, atol=1e-5)


def test_the_model_is_left_as_it_was() -> None:
    lm = _tiny("gpt2")
    ids = torch.arange(6)[None]
    before = lm.model(input_ids=ids).logits
    read_layers(lm, _looks(lm), ALPHAS, [1, 2], memory_mb=64)
    assert torch.equal(lm.model(input_ids=ids).logits, before)
    assert all("forward" not in vars(block) for block in blocks_of(lm).modules)


@pytest.mark.parametrize("plant", [1, 2, 3, 4])
def test_a_lean_planted_in_a_block_is_found_there(plant: int) -> None:
    found = _asked(gpt2(10 * plant, plant=plant, push=0.3), levels=3).origin("nurse")
    assert (found.source, found.before, found.after) == ("layers", plant - 1, plant)


@pytest.mark.validate
def test_planted_leans_are_found_in_at_least_95_percent_of_models() -> None:
    hits = 0
    for seed in range(200):
        plant = 1 + seed % 4
        push = 0.05 if seed % 8 < 4 else 0.3
        found = _asked(gpt2(seed, plant=plant, push=push), levels=3).origin("nurse")
        hits += (found.source, found.before, found.after) == ("layers", plant - 1, plant)
    assert hits >= 0.95 * 200


def test_a_constant_preference_has_no_place() -> None:
    found = _asked(gpt2(3, plant=2, constant=0.5))
    assert found.origin("nurse").source == "ends"
    assert "in the answers to the pure cues already" in found.verdict()[0]


def test_swapped_cues_turn_every_answer_round() -> None:
    lm = gpt2(5, plant=2, push=0.1)
    one = _asked(lm)
    other: LayersResult = bl.two_afc_layers(
        lm, ["nurse"], ("he", "she"), observers=FRAMES, layers="all", levels=5
    )
    np.testing.assert_allclose(one.answers, 1 - other.answers[..., ::-1], atol=1e-9)
    np.testing.assert_allclose(one.steps.shift, -other.steps.shift, atol=1e-9)
    assert one.origin("nurse") == other.origin("nurse")


def test_steps_and_the_lean_at_the_end_add_up_to_the_lean_at_the_input() -> None:
    found = _asked(gpt2(5, plant=3, push=0.1))
    first, last = (found.estimates(layer).neutral for layer in (0, 4))
    np.testing.assert_allclose(found.steps.shift.sum(axis=1), first - last, atol=1e-9)


def test_a_layer_is_the_plain_task_of_that_layer() -> None:
    lm = gpt2(2, plant=2, push=0.1)
    found = _asked(lm, layers=[2, 0])
    assert found.layers == (0, 2)
    plain = bl.two_afc(lm, ["nurse"], CUES, observers=FRAMES, levels=5)
    np.testing.assert_array_equal(found.at(0).answers, plain.answers)
    np.testing.assert_array_equal(found.pse[0], plain.pse)
    assert found.at(0).summary() == plain.summary()
    with pytest.raises(ValueError, match=r"Layer 1 was not asked\. Choose one of: 0, 2"):
        found.at(1)


def test_answers_are_kept_for_the_next_question() -> None:
    model = FramedModel(gpt2(2), FRAMES)
    alphas = np.linspace(0, 1, 5)
    assert not model.is_known(["nurse"], [CUES], alphas, (0, 1))
    job = Watched()
    with reporting_to(job):
        first = model.ask(["nurse"], [CUES], alphas, layers=(0, 1))
    assert job.reports[-1][:2] == (2 * len(FRAMES), 2 * len(FRAMES))
    assert model.is_known(["nurse"], [CUES], alphas, (0, 1))
    assert model.is_known(["nurse"], [CUES], alphas)
    model.lm.read = None  # type: ignore[assignment,method-assign]
    again = model.ask(["nurse"], [CUES], alphas, layers=(0, 1))
    np.testing.assert_array_equal(again.answers, first.answers)


def test_the_table_has_a_row_per_word_and_layer() -> None:
    found: LayersResult = bl.two_afc_layers(
        gpt2(2), ["nurse", "clerk"], CUES, observers=FRAMES, layers="all", levels=3
    )
    table = found.to_frame()
    assert list(table["item"]) == ["nurse"] * 5 + ["clerk"] * 5
    assert list(table["layer"]) == [0, 1, 2, 3, 4] * 2
    assert table["shift"].isna().tolist() == [False, False, False, False, True] * 2
    assert len(found.raw_frame()) == 5 * 2 * len(FRAMES) * 3


def test_one_frame_gives_no_interval_and_no_place() -> None:
    found: LayersResult = bl.two_afc_layers(
        gpt2(2), ["nurse"], CUES, observers=FRAMES[:1], layers="all", levels=3
    )
    assert found.origin("nurse").source == "unknown"
    assert "give no interval" in found.verdict()[0]


@pytest.mark.parametrize(
    ("layers", "words"),
    [
        ([5], "There is no layer 5: tiny GPT-2 1 has layers 0, its input, to 4, its last block"),
        ([-1], "There is no layer -1"),
        ([], "The list of layers is empty"),
        ([1, 1], "Layer 1 is listed twice"),
        (["one"], "A layer is a whole number; got 'one'"),
        ([True], "A layer is a whole number"),
        ("some", "Pass 'all' or a list"),
        (3, "Pass 'all' or a list"),
    ],
)
def test_what_are_no_layers_is_refused(layers: Any, words: str) -> None:
    with pytest.raises(QueryError, match=words):
        _asked(gpt2(1), layers=layers)


def test_what_is_no_language_model_has_no_layers() -> None:
    with pytest.raises(WrongSubjectError, match="layers needs a masked or causal"):
        bl.two_afc_layers("wiki-bootstraps", ["nurse"], layers="all")


def test_an_unknown_way_of_patching_is_refused() -> None:
    with pytest.raises(ValueError, match="choose one of text, cue"):
        _asked(gpt2(1), patch="place")


def test_a_model_without_a_list_of_blocks_is_refused() -> None:
    lm = gpt2(1)
    lm.model.config.n_layer = 7
    with pytest.raises(SubjectError, match=r"no list of blocks .* Ask bl.two_afc"):
        _asked(lm)


def test_a_model_that_hides_states_beside_its_blocks_is_refused() -> None:
    lm = gpt2(1)
    kept: list[Any] = []
    first, last = lm.model.transformer.h[0], lm.model.transformer.h[3]
    plain = first.forward

    def keeps(states: Any, *args: Any, **options: Any) -> Any:
        kept.append(states)
        return plain(states, *args, **options)

    first.forward = keeps
    last.register_forward_hook(lambda *given: given[2] + (kept.pop() if kept else 0))
    with pytest.raises(SubjectError, match="not all that its blocks pass on"):
        _asked(lm)
