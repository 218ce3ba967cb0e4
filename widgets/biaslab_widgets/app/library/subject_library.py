"""The subjects of the library page: what each is, whether it is open, and jobs that open it."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypedDict

from biaslab.errors import BiaslabError, SubjectError
from biaslab.jobs.job import Job, JobContext, JobGroup
from biaslab.people.access import current_access, shown_path
from biaslab.probes.rating import KNOWN_SERVICES
from biaslab.records.wording import prose
from biaslab.store.sharing import sharers
from biaslab.subjects import library, memory_of
from biaslab.subjects.opening.inspection import SubjectInfo, inspect
from biaslab.subjects.opening.load import BUNDLED, bundled_names
from biaslab.subjects.opening.names import OwnSubject, own_subject, own_subjects
from biaslab.subjects.opening.needs import KIND_GROUPS, group_of
from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.app.library.uploaded_files import UploadedFiles
from biaslab_widgets.core.subjects.sources import Source

_FACT = re.compile(r"^- \*\*([^*]+)\*\*:? (.*)$")
_MARKS = re.compile(r"\*+|`")
_LONGEST = 400
_MOST = 6


@dataclass(frozen=True)
class ModelCard:
    """What a model card says.

    - `about`: its first paragraph.
    - `planted`: the paragraph on a bias that was planted; empty where there is none.
    - `facts`: titles and texts of its first list.
    """

    about: str = ""
    planted: str = ""
    facts: tuple[tuple[str, str], ...] = ()


def read_card(folder: Path) -> ModelCard:
    """Read the card of a folder; an empty one where there is none."""
    try:
        text = (folder / "README.md").read_text(encoding="utf-8", errors="replace")[:50_000]
    except OSError:
        return ModelCard()
    if text.startswith("---\n"):
        text = text.partition("\n---\n")[2]
    head, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    paragraphs = [part for part in head.split("\n\n") if part.strip() and part[0] not in "#-"]
    planted = next((part for part in sections if "was planted" in part.partition("\n")[0]), "")
    return ModelCard(
        about=_plain(paragraphs[0]) if paragraphs else "",
        planted=_plain(planted.partition("\n\n")[2].partition("\n\n")[0], 1_000),
        facts=tuple(_facts(head))[:_MOST],
    )


def _facts(text: str) -> list[tuple[str, str]]:
    facts: list[tuple[str, str]] = []
    for line in text.splitlines():
        if match := _FACT.match(line):
            facts.append((match[1], match[2]))
        elif facts and line.startswith("  "):
            facts[-1] = (facts[-1][0], f"{facts[-1][1]} {line.strip()}")
    return [(title, _plain(fact)) for title, fact in facts]


def _plain(text: str, longest: int = _LONGEST) -> str:
    plain = " ".join(_MARKS.sub("", text).split())
    return plain if len(plain) <= longest else plain[:longest].rpartition(" ")[0] + " …"


def _answers_in_chats(folder: Path) -> bool:
    """Return whether the folder of a model has a template for chats."""
    if (folder / "chat_template.jinja").is_file():
        return True
    with suppress(OSError):
        return '"chat_template"' in (folder / "tokenizer_config.json").read_text(encoding="utf-8")
    return False


class SubjectRow(TypedDict):
    """A line of the list.

    ``state`` is "open", "loading", "failed" or "closed"; ``done`` and ``total`` belong to loading.
    """

    name: str
    group: str
    kind: str
    about: str
    origin: str
    own: bool
    shared_by: str
    bytes: int
    state: str
    used: bool
    memory: int
    done: float
    total: float
    problem: str
    opens: bool


class SubjectLibrary:
    """The subjects that the app offers.

    - `shared`: sources that can be asked; the own subjects are added to them.
    """

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.uploads = UploadedFiles()
        self._infos: dict[str, SubjectInfo] = {}
        self._problems: dict[str, str] = {}
        self._jobs: dict[str, Job[Any]] = {}
        self._removed: dict[str, OwnSubject] = {}
        self._offered: set[str] = set()

    def begin(self) -> None:
        """Offer the own subjects of earlier days."""
        self.refresh()
        self.uploads.sweep({entry.source for entry in own_subjects().values()})

    def refresh(self) -> None:
        """Offer what somebody has shared since, and no longer what was withdrawn."""
        known = own_subjects()
        for entry in known.values():
            if self.shared.source(entry.name) is None:
                self._offer(entry)
        for name in self._offered - known.keys():
            self._withdraw(name)

    def close(self) -> None:
        """Free the memory of the subjects of the person's own."""
        for name in list(self._offered):
            self._withdraw(name)

    def _offer(self, entry: OwnSubject) -> None:
        self._forget(entry.name)
        self.shared.add(entry)
        self._offered.add(entry.name)

    def _withdraw(self, name: str) -> None:
        self._forget(name)
        self._offered.discard(name)
        self.shared.remove(name)

    def rows(self) -> list[SubjectRow]:
        """Return all subjects, by kind."""
        self.refresh()
        rows = [self._row(name, source) for name, source in self._sources().items()]
        order = [group for group, _ in KIND_GROUPS]
        return sorted(rows, key=lambda row: order.index(row["group"]))

    def infos(self) -> list[SubjectInfo]:
        """Return what is known of subjects before they are loaded, by kind.

        Services that the rating bench brings itself, such as simulated ones, are left out.
        """
        infos = [
            replace(self._info(name, source), name=name)
            for name, source in self._sources().items()
            if name not in self.shared.services or own_subject(name) is not None
        ]
        order = [group for group, _ in KIND_GROUPS]
        return sorted(infos, key=lambda info: order.index(group_of(info.kind)))

    def count(self) -> int:
        """Return the number of subjects."""
        return len(self._sources())

    def _sources(self) -> dict[str, Source[Any] | None]:
        """Return the sources of all subjects by name; None for one that has gone."""
        own: dict[str, Source[Any] | None] = dict.fromkeys(own_subjects())
        shared = {name: one for where in self.shared.by_kind for name, one in where.items()}
        return {**shared, **{n: one for n, one in own.items() if n not in shared}}

    def card(self, name: str) -> dict[str, Any]:
        """Return what the card of a subject shows.

        Raises `SubjectError` when there is none of that name.
        """
        source, entry = self._known(name)
        row, info = self._row(name, source), self._info(name, source)
        folder = BUNDLED / name if name in bundled_names() else Path(entry.source if entry else "")
        card = read_card(folder)
        facts = [("Kind", f"{info.kind_title}{', ' if info.facts else ''}{info.facts}")]
        if info.format and not any(title == "Stored" for title, _ in card.facts):
            facts.append(("Stored as", f"{info.format}{', ' if info.dtype else ''}{info.dtype}"))
        if entry and entry.source:
            origin = "an upload" if entry.uploaded else shown_path(entry.source)
            facts.append(("Added from", origin))
        if entry and entry.shared_by:
            facts.append(("Shared by", entry.shared_by))
        if entry and entry.service:
            facts += [(_title(part), text) for part, text in entry.service.items() if text]
        if entry and entry.options:
            facts += [(_OPTIONS.get(part, part), text) for part, text in entry.options.items()]
        return {
            **row,
            "about": card.about or row["about"],
            "planted": card.planted,
            "facts": facts,
            "made": list(card.facts),
            "first": "decisions" if _answers_in_chats(folder) else _FIRST.get(info.kind, ""),
            "questions": [
                {"name": fit.name, "fits": fit.fits, "reason": fit.explanation}
                for fit in info.questions
            ],
            "code": _code(name, entry),
        }

    def open(self, name: str, owner: str = "") -> None:
        """Begin to open a subject in the background."""
        source, _ = self._known(name)
        job = self._jobs.get(name)
        if source is None:
            raise SubjectError(f"{name} is opened in Python: no bench asks subjects of its kind.")
        if source.is_open or (job is not None and not job.finished):
            return

        def work(context: JobContext) -> None:
            def report(done: int, total: int | None) -> None:
                context.checkpoint()
                context.report(done, total, f"Loading {name}")

            source.open(report)

        self._jobs[name] = JobGroup("Subjects", owner).start(work)

    def unload(self, name: str) -> None:
        """Free the memory of a subject.

        Raises `SubjectError` when it was given open, and could not be opened again.
        """
        source, _ = self._known(name)
        if name not in self._offered and not current_access().is_owner:
            raise SubjectError(f"Everybody uses {name}: only the owner of the server unloads it.")
        if source is not None and source.is_open and not source.close():
            raise SubjectError(f"{name} was handed over open and cannot be opened again from here.")

    def add(self, entry: OwnSubject) -> None:
        """Offer a subject that was added to the library."""
        self._offer(entry)

    def remove(self, name: str) -> None:
        """Forget an own subject; `restore` takes it back."""
        self._removed[name] = library.remove(name)
        self._withdraw(name)

    def restore(self, name: str) -> None:
        """Take back an own subject that was removed."""
        if name not in self._removed:
            raise SubjectError(f"{name} was not removed here. Add it again.")
        library.restore(self._removed[name])
        self.add(self._removed.pop(name))

    def _forget(self, name: str) -> None:
        for known in (self._infos, self._problems, self._jobs):
            known.pop(name, None)

    def _known(self, name: str) -> tuple[Source[Any] | None, OwnSubject | None]:
        source, entry = self.shared.source(name), own_subject(name)
        if source is None and entry is None:
            raise SubjectError(f"There is no subject {name!r}.")
        return source, entry

    def _info(self, name: str, source: Source[Any] | None) -> SubjectInfo:
        if name not in self._infos:
            self._problems.pop(name, None)
            try:
                self._infos[name] = _inspected(name, source)
            except (BiaslabError, OSError) as error:
                self._problems[name] = prose(error)
                entry = own_subject(name)
                return SubjectInfo(name, "", entry.kind if entry else "service")
        return self._infos[name]

    def _row(self, name: str, source: Source[Any] | None) -> SubjectRow:
        info, entry = self._info(name, source), own_subject(name)
        job = self._jobs.get(name)
        is_open = source is not None and source.is_open
        is_loading = job is not None and not job.finished
        error = None if job is None or not job.finished or is_open else job.exception
        problem = self._problems.get(name, "") or (prose(error) if error else "")
        state = (
            "open" if is_open else "loading" if is_loading else "failed" if problem else "closed"
        )
        is_service = source is not None and name in self.shared.services
        about = str(getattr(source, "about", "")) if is_service else info.facts
        return {
            "name": name,
            "group": group_of(info.kind),
            "kind": info.kind_title,
            "about": about or info.kind_title,
            "origin": _origin(name, entry, is_service),
            "own": entry is not None and not entry.shared_by,
            "shared_by": sharers("subject").get(name, ""),
            "bytes": info.bytes,
            "state": state,
            "used": is_open and source is not None and source.is_used,
            "memory": memory_of(source.open()) if is_open and source is not None else 0,
            "done": job.progress.done if job is not None and is_loading else 0,
            "total": (job.progress.total or 0) if job is not None and is_loading else 0,
            "problem": problem,
            "opens": source is not None and bool(source.given),
        }


def _inspected(name: str, source: Source[Any] | None) -> SubjectInfo:
    if own_subject(name) is not None or name in bundled_names():
        return inspect(name)
    if source is not None and source.given:
        return inspect(source.given)
    if source is not None and source.is_open:
        subject = source.open()
        if isinstance(getattr(subject, "kind", None), str):
            return inspect(subject)
    return SubjectInfo(name, "", "service")


def _origin(name: str, entry: OwnSubject | None, is_service: bool) -> str:
    if entry is not None and entry.shared_by:
        return f"shared by {entry.shared_by}"
    if entry is None:
        if name in KNOWN_SERVICES:
            return "simulated"
        return "bundled" if name in bundled_names() else "this machine" if is_service else "given"
    if entry.service:
        return entry.service.get("address", "").split("//")[-1].split("/")[0] or "described"
    if entry.function is not None:
        return "this process"
    if entry.source.startswith("hf:"):
        return "hub"
    if entry.kind == "server":
        return entry.source.rpartition("@")[2].split("//")[-1].split("/")[0]
    return "your folder" if Path(entry.source).is_dir() else "your file"


_FIRST: Final = {"vlm": "images"}
"""The bench to ask a kind in first, where that is not the first that fits."""
_OPTIONS: Final = {
    "device": "Device",
    "dtype": "Precision",
    "quantize": "Weights opened in",
    "attention": "Attention",
    "revision": "Revision",
    "template": "Template of a text",
}


def _title(part: str) -> str:
    return part.replace("_", " ").capitalize()


def _code(name: str, entry: OwnSubject | None) -> str:
    if entry is None or entry.uploaded:  # where an upload lies is the server's business
        return f"import biaslab as bl\n\nsubject = bl.load({name!r})\n"
    if not entry.source:
        return f"import biaslab as bl\n\nservice = bl.services.open_own({name!r})\n"
    options = "".join(f", {key}={value!r}" for key, value in entry.load_options.items())
    source = shown_path(entry.source)
    return f"import biaslab as bl\n\nsubject = bl.load({source!r}{options}, name={name!r})\n"
