"""Read foreign tokenizers and chat templates in a process that can be killed.

A tokenizer's rules and a chat template are programs of whoever wrote them: they may need endless
time or all memory, and the tokenizer's library then ends the process that it runs in. So
`reader.py`, a process with limits, builds a tokenizer first, and renders every chat template but
those of bundled models.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Final, cast

from biaslab.errors import SubjectError
from biaslab.threads.background import start_timer

SECONDS: Final = 10.0
"""For a tokenizer or a template; those of known models take less than one."""
MEMORY: Final = 2 << 30
"""Bytes of the process."""
LONGEST_TEMPLATE: Final = 1 << 18
"""Characters of a chat template; those of known models have up to 30,000."""
_PROGRAM = Path(__file__).with_name("reader.py")
_BUNDLED = Path(__file__).resolve().parents[2] / "bundled"
_KEYS = re.compile(r"KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)


class NotReadError(Exception):
    """A tokenizer or a template fails, or exceeds a limit; the message is a clause."""


class LimitError(NotReadError):
    """It needed more time or memory than it may."""


class _Reader:
    """The process, which is started when it is needed, and again after it was killed."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begin without a process, as a process that was forked has to: this one's is not its."""
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None

    def ask(self, task: str, **arguments: Any) -> Any:
        """Return the answer to a task of `reader.py`.

        Raises `NotReadError`.
        """
        # It ends by itself, a little later, where nobody is left to kill it.
        question = {"task": task, "arguments": arguments, "seconds": SECONDS + 5}
        with self._lock:
            process = self._running()
            is_late = threading.Event()

            def stop() -> None:
                is_late.set()
                process.kill()

            timer = start_timer(SECONDS, stop)
            try:
                questions, answers = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
                questions.write(json.dumps(question) + "\n")
                questions.flush()
                line = answers.readline()
            except OSError:
                line = ""
            finally:
                timer.cancel()
            if not line:
                self.end()
                raise LimitError(
                    f"it takes more than {SECONDS:g} s"
                    if is_late.is_set()
                    else "it needs too much memory"
                )
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise (LimitError if "is_limit" in answer else NotReadError)(str(answer["error"]))
        return answer["value"]

    def _running(self) -> subprocess.Popen[str]:
        process = self._process
        if process is not None and process.poll() is None:
            return process
        self._process = process = subprocess.Popen(
            [sys.executable, "-P", str(_PROGRAM), str(MEMORY)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            encoding="utf-8", env=_environment(), start_new_session=os.name == "posix",
        )  # fmt: skip
        return process

    def end(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


_reader = _Reader()
atexit.register(_reader.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reader.begin)
_tried: dict[str, int | str] = {}
"""Of tokenizers and of templates that exceed a limit, by content: the answer, or why it is none."""


def try_tokenizer(path: Path, content: bytes) -> int:
    """Build a tokenizer and encode some texts, apart; return the largest number of a token.

    The same content is tried once in this process.

    - `path`: of a tokenizer.json.
    - `content`: of the file.
    - Raises `NotReadError`.
    """
    key = _key(content)
    if key not in _tried:
        try:
            _tried[key] = int(_reader.ask("tokenizer", path=str(path.resolve())))
        except NotReadError as error:
            _tried[key] = str(error)
    verdict = _tried[key]
    if isinstance(verdict, str):
        raise NotReadError(verdict)
    return verdict


def is_bundled(folder: str | Path) -> bool:
    """Return whether a model comes with biaslab, so that nobody else wrote its files."""
    return Path(folder).resolve().is_relative_to(_BUNDLED)


def render_chat(
    reader: Any, messages: Sequence[dict[str, Any]], *, template: Any = None, **options: Any
) -> str:
    """Return a conversation as a model's chat template writes it, rendered apart.

    - `reader`: tokenizer or processor.
    - `messages`: each with ``role`` and ``content``.
    - `template`: by default the reader's own.
    - `options`: variables of the template.
    - Raises `SubjectError` if the template fails or exceeds a limit; says why.
    """
    tokenizer = getattr(reader, "tokenizer", reader)
    if is_bundled(tokenizer.name_or_path) and template is None:
        return str(reader.apply_chat_template(list(messages), tokenize=False, **options))
    template = template or reader.chat_template
    if isinstance(template, dict):  # several by name
        template = template.get("default")
    text = str(template or "")
    key = _key(text.encode("utf-8", "surrogatepass"))
    if len(text) > LONGEST_TEMPLATE:
        raise SubjectError(f"it has {len(text):,} characters.")
    if key in _tried:
        raise SubjectError(f"{_tried[key]}.")
    variables = {**tokenizer.special_tokens_map, **options}
    try:
        return str(
            _reader.ask("template", template=text, messages=list(messages), options=variables)
        )
    except LimitError as error:
        _tried[key] = str(error)  # nobody waits for it again
        raise SubjectError(f"{error}.") from error
    except NotReadError as error:
        raise SubjectError(f"{error}.") from error


def _key(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _environment() -> dict[str, str]:
    """Return the environment of this process without keys; modules are found as here.

    Each thread that a library starts takes from the memory that the process may have.
    """
    kept = {name: value for name, value in os.environ.items() if not _KEYS.search(name)}
    path = os.pathsep.join(entry for entry in sys.path if entry)
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    alone = {"TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1"}
    return {**kept, **threads, **alone, "PYTHONPATH": path}
