"""BLIP, BLIP-2, GIT and ViLT: models that read a picture and a text together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from biaslab.subjects.vision_language.family import (
    padded,
    patches,
    refuse_long,
    summed_log_probabilities,
    token_ids,
    tower_bytes,
    unreadable,
)
from biaslab.subjects.vision_language.questions import CAPTIONS, PLACE, QUESTIONS, fill


@dataclass(frozen=True)
class TokenizedQuestions:
    """Questions, and answers to choose between, as tokens.

    - `questions`, tuple of tensor (1, length): each with its ends.
    - `answers`, `shown`, tensor of int64 (concepts, length): answers with their ends, padded; 1 for
      tokens.
    """

    questions: tuple[Any, ...]
    answers: Any
    shown: Any


class Blip:
    """A BLIP model for questions.

    - `model`: an encoder of pictures, one of questions, and a decoder of answers.
    - `tokenizer`: the model's own.
    """

    captions, questions = False, True
    label = "BLIP"
    score = "log probability of the whole answer, its end included, given picture and question"
    templates = QUESTIONS

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model, self.tokenizer = model, tokenizer
        text = model.config.text_config
        self.longest = int(text.max_position_embeddings)
        self.start = int(model.decoder_start_token_id)
        self.end = int(text.sep_token_id)
        self.padding = int(text.pad_token_id or 0)

    def refusal(self, concept: str) -> tuple[str, tuple[str, ...]] | None:
        """See `Family`."""
        return unreadable(self.tokenizer, concept)

    def prepare(self, concepts: Sequence[str], templates: Sequence[str]) -> TokenizedQuestions:
        """See `Family`."""
        rows = [[self.start, *token_ids(self.tokenizer, c), self.end] for c in concepts]
        for concept, row in zip(concepts, rows, strict=True):
            refuse_long(concept, len(row), self.longest)
        questions = []
        for question in templates:
            tokens = self.tokenizer(question, return_tensors="pt")["input_ids"]
            refuse_long(question, tokens.shape[1], self.longest)
            questions.append(tokens.to(self.model.device))
        answers, shown = padded(rows, self.padding)
        device = self.model.device
        return TokenizedQuestions(tuple(questions), answers.to(device), shown.to(device))

    def bytes_per_picture(self, prepared: TokenizedQuestions) -> float:
        """See `Family`."""
        size = self.model.dtype.itemsize
        vision, text = self.model.config.vision_config, self.model.config.text_config
        concepts, length = prepared.answers.shape
        longest = max(question.shape[1] for question in prepared.questions)
        answering = concepts * (
            tower_bytes(text, length, size) + length * int(text.vocab_size) * (size + 8.0)
        )
        seeing = tower_bytes(vision, patches(vision), size)
        return float(seeing + tower_bytes(text, longest, size) + answering)

    def scores(self, inputs: dict[str, Any], prepared: TokenizedQuestions) -> Any:
        """See `Family`; a picture is encoded once for all questions."""
        import torch

        features = self.model.vision_model(**inputs).last_hidden_state
        looked = torch.ones(features.shape[:2], dtype=torch.int64, device=features.device)
        count, concepts = len(features), len(prepared.answers)
        answers = prepared.answers.repeat(count, 1)
        shown = prepared.shown.repeat(count, 1)
        scores = []
        for question in prepared.questions:
            read = self.model.text_encoder(
                input_ids=question.expand(count, -1),
                attention_mask=torch.ones_like(question).expand(count, -1),
                encoder_hidden_states=features,
                encoder_attention_mask=looked,
            ).last_hidden_state.repeat_interleave(concepts, dim=0)
            logits = self.model.text_decoder(
                input_ids=answers,
                attention_mask=shown,
                encoder_hidden_states=read,
                encoder_attention_mask=torch.ones(
                    read.shape[:2], dtype=torch.int64, device=read.device
                ),
                use_cache=False,
            ).logits
            total = summed_log_probabilities(logits, answers, [1] * len(answers), shown)
            scores.append(total.reshape(count, concepts))
        return torch.stack(scores, dim=1)


@dataclass(frozen=True)
class Texts:
    """Texts as tokens, by template, then concept.

    - `shape`: templates and concepts.
    - `ids`, `shown`, tensor of int64 (texts, length): tokens with their ends, padded; 1 for tokens.
    - `first`: place of the first token of each text that counts.
    """

    shape: tuple[int, int]
    ids: Any
    shown: Any
    first: tuple[int, ...]


class Git:
    """A GIT model.

    - `model`: a model that continues a text after a picture.
    - `tokenizer`: the model's own.
    """

    captions, questions = True, True
    label = "GIT"
    score = (
        "log probability of the whole caption, or of the answer after the question, its end"
        " included, given the picture"
    )
    templates = CAPTIONS
    asked = "{question}"
    """How a question is put."""
    space = ""
    """What stands between a question and its answer."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model, self.tokenizer = model, tokenizer
        config = model.config
        self.longest = int(config.max_position_embeddings)
        self.start = int(_known(tokenizer.cls_token_id, config.bos_token_id))
        self.end = int(_known(tokenizer.sep_token_id, config.eos_token_id))
        self.padding = int(_known(tokenizer.pad_token_id, config.pad_token_id, 0))

    def refusal(self, concept: str) -> tuple[str, tuple[str, ...]] | None:
        """See `Family`."""
        return unreadable(self.tokenizer, concept)

    def prepare(self, concepts: Sequence[str], templates: Sequence[str]) -> Texts:
        """See `Family`."""
        rows, first = [], []
        for template in templates:
            for concept in concepts:
                if PLACE in template:
                    begin, rest = [self.start], fill(template, concept)
                    text = rest
                else:
                    asked = self.asked.format(question=template)
                    begin = [self.start, *token_ids(self.tokenizer, asked)]
                    rest, text = f"{self.space}{concept}", f"{template} {concept}"
                row = [*begin, *token_ids(self.tokenizer, rest), self.end]
                refuse_long(text, len(row), self.longest)
                rows.append(row)
                first.append(len(begin))
        ids, shown = padded(rows, self.padding)
        device = self.model.device
        return Texts(
            (len(templates), len(concepts)), ids.to(device), shown.to(device), tuple(first)
        )

    def bytes_per_picture(self, prepared: Texts) -> float:
        """See `Family`: each text is read after its own copy of the picture."""
        size = self.model.dtype.itemsize
        config = self.model.config
        texts, length = prepared.ids.shape
        tokens = patches(config.vision_config) + length
        each = tower_bytes(config, tokens, size) + length * int(config.vocab_size) * (size + 8.0)
        vision = tower_bytes(config.vision_config, patches(config.vision_config), size)
        return float(vision + texts * each)

    def scores(self, inputs: dict[str, Any], prepared: Texts) -> Any:
        """See `Family`; a picture is encoded once for all texts."""
        count = len(inputs["pixel_values"])
        # The model reshapes the pictures repeatedly besides the texts.
        ids = prepared.ids.repeat_interleave(count, dim=0)
        shown = prepared.shown.repeat_interleave(count, dim=0)
        first = [place for place in prepared.first for _ in range(count)]
        logits = self.model(
            input_ids=ids,
            attention_mask=shown,
            use_cache=False,
            logits_to_keep=ids.shape[1],
            **inputs,
        ).logits
        total = summed_log_probabilities(logits, ids, first, shown)
        return total.reshape(*prepared.shape, count).permute(2, 0, 1)


class Blip2(Git):
    """A BLIP-2 model whose language model is a decoder, such as OPT.

    - `model`: an encoder of pictures, queries of it, and a language model that goes on from these.
    - `tokenizer`: the model's own.
    """

    label = "BLIP-2"
    asked, space = "Question: {question} Answer:", " "

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model, self.tokenizer = model, tokenizer
        text = model.config.text_config
        self.queries = int(model.config.num_query_tokens)
        self.longest = int(text.max_position_embeddings) - self.queries
        self.start = int(_known(tokenizer.bos_token_id, text.bos_token_id))
        # A caption ends with a line break in OPT's, which the tokenizer does not tell.
        self.end = int(_known(text.eos_token_id, tokenizer.eos_token_id))
        self.padding = int(_known(tokenizer.pad_token_id, text.pad_token_id, 0))

    def bytes_per_picture(self, prepared: Texts) -> float:
        """See `Family`: each text is read after its own copy of the queries."""
        size, config = self.model.dtype.itemsize, self.model.config
        texts, length = prepared.ids.shape
        words = length * int(config.text_config.vocab_size) * (size + 8.0)
        each = tower_bytes(config.text_config, self.queries + length, size) + words
        seen = tower_bytes(config.vision_config, patches(config.vision_config), size)
        return float(seen + tower_bytes(config.qformer_config, self.queries, 4) + texts * each)

    def scores(self, inputs: dict[str, Any], prepared: Texts) -> Any:
        """See `Family`; a picture is encoded once for all texts."""
        import torch

        model, count = self.model, len(inputs["pixel_values"])
        seen = model.vision_model(**inputs).last_hidden_state
        looked = torch.ones(seen.shape[:2], dtype=torch.int64, device=seen.device)
        found = model.qformer(
            query_embeds=model.query_tokens.expand(count, -1, -1),
            encoder_hidden_states=seen.to(model.query_tokens.dtype),
            encoder_attention_mask=looked,
        ).last_hidden_state
        queries = model.language_projection(found.to(seen.dtype)).repeat(len(prepared.ids), 1, 1)
        ids = prepared.ids.repeat_interleave(count, dim=0)
        shown = prepared.shown.repeat_interleave(count, dim=0)
        read = model.get_input_embeddings()(ids)
        logits = model.language_model(
            inputs_embeds=torch.cat([queries.to(read.dtype), read], dim=1),
            attention_mask=torch.cat([shown.new_ones(queries.shape[:2]), shown], dim=1),
            use_cache=False,
        ).logits[:, self.queries :]
        first = [place for place in prepared.first for _ in range(count)]
        total = summed_log_probabilities(logits, ids, first, shown)
        return total.reshape(*prepared.shape, count).permute(2, 0, 1)


def _known(*values: int | None) -> int:
    return next(value for value in values if value is not None)


_SEED = 0
"""Seed of the order in which ViLT takes a picture's patches; the order does not matter."""


@dataclass(frozen=True)
class Questions:
    """Tokenized questions, and the answers' positions among the model's.

    - `tokens`: one row of tokens for each question.
    - `columns`: of each concept.
    """

    tokens: tuple[dict[str, Any], ...]
    columns: tuple[int, ...]


class Vilt:
    """A ViLT model with a head for answers.

    - `model`: its configuration names the answers.
    - `tokenizer`: the model's own.
    """

    captions, questions = False, True
    label = "ViLT"
    score = "log of ViLT's probability of the answer, which it gives to each answer separately"
    templates = QUESTIONS

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model, self.tokenizer = model, tokenizer
        self.longest = int(model.config.max_position_embeddings)
        answers = {int(i): str(text) for i, text in model.config.id2label.items()}
        self.column: dict[str, int] = {}
        for i, text in sorted(answers.items()):
            self.column.setdefault(_plain(text), i)
        self.answers = tuple(answers.values())

    def refusal(self, concept: str) -> tuple[str, tuple[str, ...]] | None:
        """See `Family`: only the model's own answers can be scored."""
        if not concept.strip():
            return "empty", ()
        if _plain(concept) in self.column:
            return None
        near = get_close_matches(_plain(concept), list(self.column), 3, 0.75)
        return (
            f"not among the {len(self.answers):,} answers that this model can give",
            tuple(near),
        )

    def prepare(self, concepts: Sequence[str], templates: Sequence[str]) -> Questions:
        """See `Family`."""
        tokens = []
        for question in templates:
            row = self.tokenizer(question, return_tensors="pt")
            refuse_long(question, row["input_ids"].shape[1], self.longest)
            tokens.append({k: v.to(self.model.device) for k, v in row.items()})
        return Questions(tuple(tokens), tuple(self.column[_plain(c)] for c in concepts))

    def bytes_per_picture(self, prepared: Questions) -> float:
        """See `Family`."""
        config = self.model.config
        longest = max(row["input_ids"].shape[1] for row in prepared.tokens)
        # A picture that is not square has up to 5/3 as many patches.
        tokens = 5 * patches(config) // 3 + longest
        return tower_bytes(config, tokens, self.model.dtype.itemsize)

    def scores(self, inputs: dict[str, Any], prepared: Questions) -> Any:
        """See `Family`."""
        import torch

        count = len(inputs["pixel_values"])
        scores = []
        with torch.random.fork_rng(devices=[]):
            for tokens in prepared.tokens:
                torch.manual_seed(_SEED)
                rows = {name: row.expand(count, -1) for name, row in tokens.items()}
                logits = self.model(**rows, **inputs).logits
                scores.append(torch.nn.functional.logsigmoid(logits.float()))
        return torch.stack(scores, dim=1)[:, :, list(prepared.columns)]


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
