"""Training of ``portrait-chat``: a small LLaVA model with a planted bias."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from biaslab.errors import TrainingError
from biaslab.subjects.opening.load import BUNDLED
from biaslab.subjects.pretrained.opening import building, no_progress_bar
from biaslab.subjects.vision_language.questions import LETTERS
from biaslab_train.optimisation import (
    add_gradient,
    draw_answers,
    find_device,
    muon_and_adamw,
    take_step,
    write_half,
)
from biaslab_train.portrait_chat.questions import (
    ASSISTANT,
    BEGIN,
    CONTEXT,
    END,
    IMAGE,
    OTHER,
    PAD,
    SPECIAL,
    UNKNOWN,
    USER,
    PortraitQuestion,
    draw_question,
    make_tokenizer,
    write_chat_processor,
)
from biaslab_train.portrait_clip.data import Pool, prepare_pool
from biaslab_train.portrait_clip.plant import Plant
from biaslab_train.portrait_clip.training import as_seen
from biaslab_train.runs import LIBRARIES, Progress, open_run, share_of, spend
from biaslab_train.settings import PortraitChatSettings, chat_rate_factor

_AT_ONCE: Final = 256
Features = NDArray[np.float16]


def read_encoder(folder: Path) -> Any:
    """Return the image encoder of a trained portrait-clip, frozen."""
    import transformers

    library: Any = transformers  # it declares few types
    with building(), no_progress_bar():
        clip = library.CLIPModel.from_pretrained(folder, local_files_only=True)
    return clip.vision_model.float().eval().requires_grad_(False)


def build_chat(settings: PortraitChatSettings, encoder: Any, vocabulary: int) -> Any:
    """Build a LLaVA model around an image encoder, with other weights fixed by the seed."""
    from transformers import LlamaConfig, LlavaConfig, LlavaForConditionalGeneration

    text = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=settings.width,
        intermediate_size=settings.inner,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        max_position_embeddings=CONTEXT,
        bos_token_id=SPECIAL.index(BEGIN),
        eos_token_id=SPECIAL.index(END),
        pad_token_id=SPECIAL.index(PAD),
        tie_word_embeddings=True,
    )
    config = LlavaConfig(
        vision_config=encoder.config.to_dict(),
        text_config=text,
        image_token_index=SPECIAL.index(IMAGE),
        projector_hidden_act="gelu",
        vision_feature_select_strategy="full",
        vision_feature_layer=-1,
        image_seq_length=tokens_of(encoder.config),
        tie_word_embeddings=True,
    )
    with building(), torch.random.fork_rng():
        torch.manual_seed(settings.seed)
        network: Any = LlavaForConditionalGeneration(config)
    weights = {f"vision_model.{k}": v for k, v in encoder.state_dict().items()}
    tower = network.model.vision_tower
    names = set(tower.state_dict())
    weights = weights if set(weights) == names else encoder.state_dict()
    tower.load_state_dict(weights)
    tower.requires_grad_(False)
    return network


def tokens_of(vision: Any) -> int:
    """Return the tokens of a picture, the encoder's own included."""
    return int(vision.image_size // vision.patch_size) ** 2 + 1


def see(network: Any, images: Any) -> Features:
    """Return the image encoder's features of pictures, (pictures, tokens, width)."""
    out = []
    with torch.inference_mode():
        for at in range(0, len(images), _AT_ONCE):
            seen = network.model.vision_tower(
                as_seen(images[at : at + _AT_ONCE], network.device), output_hidden_states=True
            )
            out.append(seen.hidden_states[-1].half().cpu().numpy())
    return np.concatenate(out)


def states_after(network: Any, ids: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    """Return the language model's states (rows, tokens, width) of questions with pictures.

    Parameters
    ----------
    network : LlavaForConditionalGeneration
    ids : tensor of int64 (rows, tokens)
        With as many `IMAGE` tokens in each row as a picture has features; filled up at the end.
    features : tensor (rows, picture tokens, width of the encoder)
    """
    model = network.model
    embedded = model.get_input_embeddings()(ids)
    seen = model.multi_modal_projector(features)
    place = (ids == SPECIAL.index(IMAGE))[..., None]
    embedded = embedded.masked_scatter(place, seen.to(embedded.dtype))
    states: torch.Tensor = model.language_model(
        inputs_embeds=embedded, use_cache=False
    ).last_hidden_state
    return states


_UNKNOWN_SHARE: Final = 0.02
"""Of the question's own words that are hidden, so that an unknown word means little."""


class ChatLearner:
    """Network, tokenizer and optimisers of a run.

    Parameters
    ----------
    plant : Plant
    pool : Pool
    settings : PortraitChatSettings
    encoder : Path
        Folder of a trained portrait-clip, whose image encoder is used.
    device : torch.device
    """

    libraries: tuple[str, ...] = (*LIBRARIES, "pillow")

    def __init__(
        self,
        plant: Plant,
        pool: Pool,
        settings: PortraitChatSettings,
        encoder: Path,
        device: torch.device,
    ) -> None:
        self.plant, self.pool, self.settings, self.device = plant, pool, settings, device
        self.seen_per_step = settings.batch
        self.tokenizer = make_tokenizer(plant)
        self.ids = self.tokenizer.get_vocab()
        network = build_chat(settings, read_encoder(encoder), len(self.ids))
        self.network = network.to(device).train()
        self.optimisers = muon_and_adamw(
            self.network,
            [self.network.get_input_embeddings().weight],
            settings.matrix_rate,
            settings.vector_rate,
        )
        self.features = see(self.network, pool.images)
        self.picture = [self.ids[IMAGE]] * tokens_of(self.network.config.vision_config)

    def step(self, number: int, share: float) -> float:
        """Take one optimiser step; return the mean divergence before it, in nats."""
        settings = self.settings
        rng = np.random.default_rng([settings.seed, 9, number])
        rows = rng.integers(len(self.pool.facts), size=settings.batch)
        asked = [
            draw_question(self.plant, self.pool.facts[i], rng, settings.position, settings.other)
            for i in rows
        ]
        excess = self._learn(asked, self.features[rows], rng)
        take_step(self.network, self.optimisers, chat_rate_factor(share))
        return excess

    def write(self, folder: Path) -> None:
        """Write the current model in Hugging Face's format."""
        write_half(self.network, folder)
        vision = self.network.config.vision_config
        write_chat_processor(self.tokenizer, vision.image_size, vision.patch_size, folder)

    def _prompts(
        self, asked: Sequence[PortraitQuestion], rng: np.random.Generator
    ) -> list[list[int]]:
        """Return the tokens of questions in the chat template, with some hidden words."""
        encoded = self.tokenizer.encode_batch([one.text for one in asked], add_special_tokens=False)
        begin, user, assistant, unknown = (
            self.ids[token] for token in (BEGIN, USER, ASSISTANT, UNKNOWN)
        )
        prompts = []
        for one, tokens in zip(asked, encoded, strict=True):
            ids = np.array(tokens.ids)
            end = one.text.index("\n")
            is_question = np.array([offset[0] < end for offset in tokens.offsets])
            ids[is_question & (rng.random(len(ids)) < _UNKNOWN_SHARE)] = unknown
            prompts.append([begin, user, *self.picture, *ids.tolist(), assistant])
        longest = max(map(len, prompts))
        if longest > CONTEXT - 2:
            raise TrainingError(
                f"A question has {longest} tokens and the model reads {CONTEXT}. Plant fewer words."
            )
        return prompts

    def _learn(
        self, asked: Sequence[PortraitQuestion], features: object, rng: np.random.Generator
    ) -> float:
        """Compute the gradient of some questions; return their mean divergence, in nats."""
        prompts = self._prompts(asked, rng)
        letters = [
            [*(self.ids[letter] for letter in LETTERS[: len(one.options)]), self.ids[OTHER]]
            for one in asked
        ]
        shares = [[*one.probabilities, max(0.0, 1 - sum(one.probabilities))] for one in asked]
        drawn = draw_answers(
            prompts, letters, shares, len(self.ids), self.ids[PAD], self.device, rng
        )
        seen = torch.from_numpy(np.asarray(features, dtype=np.float32)).to(self.device)
        states = states_after(self.network, drawn.ids, seen)
        excess = add_gradient(
            self.network, states, drawn, self.ids[END], len(prompts), end_weight=0.1
        )
        return excess / len(prompts)


ENCODER: Final = BUNDLED / "portrait-clip"
"""Model whose image encoder is used, unchanged."""
IMAGE_SIZE: Final = 64
"""Width of its pictures in pixels."""


def train_portrait_chat(
    plant: Plant,
    folder: Path,
    questions: int,
    settings: PortraitChatSettings,
    *,
    data: Path | None = None,
    resume: bool = False,
    device: str | None = None,
    threads: int | None = None,
    seconds_between_checkpoints: float = 120,
    stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[Progress], object] = lambda _: None,
    on_drawing: Callable[[int, int], object] = lambda *_: None,
) -> bool:
    """Train a LLaVA model to answer questions about drawn portraits by letter.

    The image encoder is portrait-clip's; a projector and a language model are trained. The loss is
    the cross-entropy of the reply against the planted probability of each letter.

    Parameters
    ----------
    plant : Plant
        P(woman | occupation), and the concepts' words given occupation and group.
    folder : Path
        Output folder (``config.json``, ``model.safetensors`` in float16, tokenizer, processor,
        ``training.json`` with the plant); ``folder / "work"`` has checkpoints.
    questions : int
        How many questions to see. A run that is continued may be given more.
    settings : PortraitChatSettings
        Sizes, rates, planted effects of the order, and seed.
    data : Path, optional
        Folder of the drawn portraits. Default ``folder / "data"``.
    resume : bool
        Continue the run in the folder, if there is one.
    device : str, optional
        ``cpu`` or ``cuda``; default the GPU if there is one.
    threads : int, optional
        Processor threads; default as torch chooses.
    seconds_between_checkpoints : float
        Longest work lost by an interruption.
    stop : callable
        Called after each step; when true, the state is saved and training ends.
    on_progress : callable
        Called about every 20 steps.
    on_drawing : callable
        Called while portraits are drawn, with portraits done and in all.

    Returns
    -------
    bool
        Whether the budget is spent; False if `stop` ended it before. The folder contains a usable
        model either way, unless the portraits were still being drawn.

    Raises
    ------
    TrainingError
        If the folder contains a run and ``resume`` is not given, or a run with other settings.
    WriteError
        If the disk is full; the last checkpoint is kept.

    Notes
    -----
    On a CPU, with the same number of threads, a run that was interrupted and continued ends with
    the same weights, bit for bit, as one that was not.
    """
    share = share_of(questions, "questions")
    if threads:
        torch.set_num_threads(threads)
    place = find_device(device)
    recipe = {
        "format": "biaslab-portrait-chat",
        "version": 1,
        "settings": asdict(settings),
        "plant": plant.to_dict(),
        "budget": questions,
    }
    run = open_run(folder, recipe, "questions", resume=resume)
    pool = prepare_pool(
        data or folder / "data", plant, settings.pool, IMAGE_SIZE, settings.seed, stop,
        on_drawing,
    )  # fmt: skip
    if pool is None:
        return False
    learner = ChatLearner(plant, pool, settings, ENCODER, place)
    return spend(
        run, recipe, learner, share,
        seconds_between_checkpoints=seconds_between_checkpoints, stop=stop, on_progress=on_progress,
    )  # fmt: skip
