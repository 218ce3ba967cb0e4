"""Show a causal language model a text as the answer of a chat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from biaslab.errors import SubjectError
from biaslab.record import Record
from biaslab.subjects.language_model_tokens import TokenizedText

TEMPLATES: Final = ("auto", "plain", "chat", "chat without system prompt")
"""Ways to show a causal model a text."""
SYSTEM_PROMPT: Final = "You are a helpful assistant."
"""System prompt where a model's template has none of its own."""
USER_PROMPT: Final = "Write a sentence."
"""Message that the text answers."""
_MARK: Final = "\u00a7text\u00a7"


@dataclass(frozen=True)
class ChatTemplate(Record):
    """A chat that a text answers.

    Attributes
    ----------
    name : {"chat", "chat without system prompt"}
    prefix : str
        All that stands before the text, as the model's template writes it.
    ids : tuple of int
        Tokens of the prefix.
    tokens : tuple of str
        The same as the tokenizer writes them.
    """

    name: str
    prefix: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]

    @property
    def note(self) -> str:
        """A remark for the user."""
        return f"Each text is the model's answer in its chat template, after {self.prefix!r}."


def chat_template_of(name: str, tokenizer: Any, model: Any) -> ChatTemplate | None:
    """Return the chat in which a model is shown texts; None for plain texts.

    Parameters
    ----------
    name : {"auto", "plain", "chat", "chat without system prompt"}
        "auto" is "chat" for an instruction model, see `is_instruction_model`, and "plain" for
        others. The system prompt of "chat" is the template's own, or else `SYSTEM_PROMPT` where the
        template takes one.
    tokenizer : transformers.PreTrainedTokenizerBase
    model : transformers.PreTrainedModel

    Raises
    ------
    SubjectError
        If there is no such way, or the model has no chat template or one that fails.
    """
    if name not in TEMPLATES:
        raise SubjectError(f"template={name!r}: choose one of {', '.join(map(repr, TEMPLATES))}.")
    has_template = bool(getattr(tokenizer, "chat_template", None))
    if name == "auto":
        name = "chat" if has_template and is_instruction_model(tokenizer, model) else "plain"
    if name == "plain":
        return None
    if not has_template:
        raise SubjectError(
            f"template={name!r}: the tokenizer has no chat template. Choose 'plain', or open the"
            " model's instruction version."
        )
    prefix = _prefix(tokenizer, with_system=name == "chat")
    ids = tokenizer(prefix, add_special_tokens=False, verbose=False)["input_ids"]
    if not ids:
        raise SubjectError(
            f"template={name!r}: the model's chat template writes nothing before an answer. Choose"
            " 'plain'."
        )
    return ChatTemplate(name, prefix, tuple(ids), tuple(tokenizer.convert_ids_to_tokens(ids)))


def is_instruction_model(tokenizer: Any, model: Any) -> bool:
    """Return whether a model was trained to answer in its chat template.

    It was if it stops generating at the token that ends an answer there. Base models may come with
    a template too, but stop at the end of a document (Qwen 2.5, Qwen 3).
    """
    try:
        ending = _render(tokenizer, [_user(), _said("assistant", _MARK)], False).split(_MARK)[-1]
    except SubjectError:
        return False
    ids = set(tokenizer(ending, add_special_tokens=False, verbose=False)["input_ids"])
    stops = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
    if stops is None:
        stops = tokenizer.eos_token_id
    return bool(ids & set(stops if isinstance(stops, list | tuple) else [stops]))


def place_in_chat(text: TokenizedText, chat: ChatTemplate) -> TokenizedText:
    """Return a text's own tokens after those of a chat, which count as special."""
    own = text.own
    return text.part(int(own[0]), int(own[-1]) + 1).after(chat.ids, chat.tokens)


def _prefix(tokenizer: Any, *, with_system: bool) -> str:
    plain = _render(tokenizer, [_user()], True)
    try:
        framed = _render(tokenizer, [_said("system", _MARK), _user()], True)
    except SubjectError:
        return plain  # it takes no system prompt, as Gemma's
    before, mark, after = framed.partition(_MARK)
    if not mark:
        return plain
    has_own = (
        plain.startswith(before) and plain.endswith(after) and len(plain) > len(before + after)
    )
    if with_system:
        return plain if has_own else before + SYSTEM_PROMPT + after
    return before + after if has_own else plain


def _render(tokenizer: Any, messages: list[dict[str, str]], is_open: bool) -> str:
    try:
        # Models that can think aloud are to answer at once.
        return str(
            tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=is_open, enable_thinking=False
            )
        )
    except Exception as error:  # of a template, which is anybody's code
        raise SubjectError(
            f"The model's chat template fails: {error} Choose template='plain'."
        ) from error


def _user() -> dict[str, str]:
    return _said("user", USER_PROMPT)


def _said(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}
