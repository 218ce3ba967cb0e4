"""What all controllers share: state, checking, coalescing, and answers with a generation."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final, Generic, TypeVar, cast

from biaslab.errors import QueryError
from biaslab.jobs.context import JobStopped
from biaslab.jobs.job import JobGroup
from biaslab.people.access import acting_as, current_access
from biaslab.records.result import Result
from biaslab.records.wording import prose
from biaslab.store import Store
from biaslab.subjects.opening.inspection import SubjectInfo
from biaslab.threads.leaving import JOB
from biaslab_widgets.core.answers.live import LIVE, ONE_PERSON
from biaslab_widgets.core.answers.waiting_line import WaitingLine
from biaslab_widgets.core.bench.recorded import not_of_this_bench
from biaslab_widgets.core.how import how
from biaslab_widgets.core.state.bench_state import BenchState
from biaslab_widgets.core.state.commands import Act, Arguments, Explained, PrivateArguments
from biaslab_widgets.core.state.fields import DEFAULT_CAP, Cap, Component, TooLargeError
from biaslab_widgets.core.state.inputs import inputs_to_store
from biaslab_widgets.core.state.records import Command, How, Message, Reply, message
from biaslab_widgets.core.subjects.opening import misfits_of, why_not

INCOMPLETE: Final = "incomplete"
"""Tag of a run that was stopped before its end."""
B = TypeVar("B", bound=BenchState)
Emit = Callable[[dict[str, Any]], None]


class Controller(ABC, Generic[B]):
    """Holds a component's state and answers its changes; knows no host.

    A host calls `change` with what a person or Python changed, from any thread, and gets outputs
    through ``emit``, from the live worker's thread. Many quick changes lead to one answer to the
    newest.

    - `access`: of the person who looks at it; its answers, commands and jobs work under it.
    - `commands`: the commands that it obeys, by name; of those of its parts, and its own.
    - `computing`: held while an answer is made, and by whoever changes what answers are made of.
    - `jobs`: its jobs, which are cancelled when it is closed.
    """

    component: ClassVar[Component]
    obeys_first: ClassVar[bool] = False
    """Whether a command is carried out before the answer, which shows what it has changed."""
    runs_long: ClassVar[bool] = False
    """Whether its result comes from a run that a person starts."""
    caps: ClassVar[Mapping[str, Cap]] = {
        "suggest": Cap(text=200),
        "read-spec": Cap(text=500_000),
        "read-words": Cap(text=500_000),
    }
    """How large the arguments of a command may be, by its name; `DEFAULT_CAP` of the others."""
    aside: ClassVar[frozenset[str]] = frozenset()
    """Commands that change nothing that the answer shows: they have a reply and no answer."""
    private: ClassVar[tuple[str, ...]] = ()
    """Arguments of commands that are kept out of the state; see `PrivateArguments`."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self.access = current_access()
        self._lock = threading.RLock()
        self.computing = threading.RLock()
        self.state = self.component.initial()
        self.commands: dict[str, Act] = {
            "how": self._explain,
            "leave-line": self._leave_line,
            "smaller-run": self._run_smaller,
        }
        self._command_done = 0
        self._due = True
        self._refused: dict[str, Any] = {}
        self._private = PrivateArguments(self.private)
        title = self.component.module.replace("-", " ").capitalize()
        self.jobs = JobGroup(title, self.access.user)
        self.line = WaitingLine(self.jobs, self.emit, self.has_smaller_run)
        self._closed = False
        self._at_close: list[Callable[[], object]] = []

    def at_close(self, call: Callable[[], object]) -> None:
        """Call a function when the bench is closed, such as one that frees memory."""
        self._at_close.append(call)

    def change(self, values: Mapping[str, Any]) -> None:
        """Take changed inputs and enqueue an answer; returns at once.

        Inputs that only change the view are taken, and no answer is computed.

        Raises `TooLargeError` when a value is larger than its cap; no value is taken then. Raises
        `ValueError` when there is no such input or a value is not allowed; no value is taken then.
        """
        inputs = {field.name: field for field in self.component.inputs}
        for name, value in values.items():
            if name not in inputs:
                raise ValueError(f"There is no input {name!r}. There are: {', '.join(inputs)}.")
            inputs[name].check(value)
        if (command := values.get("command")) is not None:
            self.caps.get(str(command["name"]), DEFAULT_CAP).check(command["args"])
        with self._lock:
            self._refused.pop("answer", None)
            command = values.get("command")
            self._due |= len(values) != 1 or command is None or command["name"] not in self.aside
            if command is not None:
                with acting_as(self.access):  # whose key it is
                    values = {**values, "command": self._private.taken_from(command)}
            self.state.update(values)
        only_the_view = bool(values) and all(inputs[name].view for name in values)
        if not self._closed and not only_the_view:
            LIVE.enqueue(self)

    def refuse(self, values: Mapping[str, Any], error: TooLargeError) -> None:
        """Answer changed inputs that were too large to be taken: say so, on the screen.

        - `values`: as of `change`.
        - `error`: what it raised.
        """
        refused: dict[str, Any] = {}
        command = values.get("command")
        if command is not None:
            refused["reply"] = {"id": command["id"], "ok": False, "message": prose(error)}
        with self._lock:
            if command is None and "answer" in self.state:
                refused["answer"] = {
                    **self.state["answer"],
                    "generation": int(values.get("generation", self.state["generation"])),
                    "state": "error",
                    "message": message("This is too large", prose(error)),
                }
            self._refused |= refused
        if not self._closed:
            LIVE.enqueue(self)

    @property
    def owner(self) -> str:
        """Whose bench it is."""
        return self.jobs.owner or ONE_PERSON

    @property
    def has_run(self) -> bool:
        """Whether a run goes on, or has ended whose result is lost with the bench."""
        return self.jobs.busy

    def show_to(self, emit: Emit) -> None:
        """Hand outputs to another host from now on, such as the next page of this bench."""
        self._emit = emit

    def answer_again(self) -> None:
        """Answer the newest state again: something that the answer shows has changed."""
        self.change({})

    def close(self) -> None:
        """Cancel its jobs and answer no more: nobody looks at it any longer."""
        self._closed = True
        LIVE.forget(self)
        self.line.close()
        self.jobs.close()
        for call in self._at_close:
            call()

    def work(self) -> None:
        """Answer the newest state and the newest command."""
        left = JOB.set(self._leave_if_closed)
        try:
            with acting_as(self.access):
                self._work()
        finally:
            JOB.reset(left)

    def _leave_if_closed(self) -> None:
        if self._closed:
            raise JobStopped

    def _work(self) -> None:
        with self._lock:
            refused, self._refused = self._refused, {}
            due, self._due = self._due, False
        self.emit(refused)
        if "answer" in refused:
            return
        if self._private.removed:
            self._private.removed = False
            self.emit({"command": self.snapshot().command})
        snapshot = self.snapshot()
        command: Command = snapshot.command
        if command["id"] <= self._command_done:
            self.emit(self.answer(snapshot))
            return
        self._command_done = command["id"]
        if not due:
            self.emit({"reply": self._reply(command)})
        elif self.obeys_first:
            reply = self._reply(command)
            self.emit({**self.answer(self.snapshot()), "reply": reply})
        else:
            self.emit(self.answer(snapshot))
            self.emit({"reply": self._reply(command)})
        self._private.forget(self._command_done)

    def has_smaller_run(self) -> bool:
        """Whether some of the run that waits can be computed at once."""
        return False

    def run_smaller(self) -> None:
        """Compute some of the run that waits at once; the run goes on from there in its turn."""
        raise QueryError("This run has no smaller form.")

    def _leave_line(self, _args: Arguments) -> str:
        return "" if self.line.leave() else "The run has begun already. Stop it instead."

    def _run_smaller(self, _args: Arguments) -> str:
        if not self.has_smaller_run():
            raise QueryError("There is no smaller run to show now.")
        self.run_smaller()
        return ""

    def save_run(self, result: Result, label: str = "", tags: Iterable[str] = ()) -> str:
        """Store a result with what the bench is set to; return the id of the run."""
        LIVE.let_others_go_on()  # the store may be locked
        inputs = self.inputs_of_run()
        tags = [*tags, INCOMPLETE] if self.is_incomplete(result) else tags
        return Store().save(result, label, bench=self.component.module, inputs=inputs, tags=tags)

    def is_incomplete(self, result: Result) -> bool:
        """Whether the run of a result was stopped before its end."""
        return bool(getattr(result, "unscored", 0))

    def inputs_of_run(self) -> dict[str, Any]:
        """Return what the bench was set to when its result was made."""
        with self._lock:
            return inputs_to_store(self.component, self.state)

    def inputs_for(self, result: Result) -> dict[str, Any]:
        """Return the inputs that ask what a result answers that was made outside a bench.

        Raises `QueryError` where the bench does not show such results.
        """
        raise not_of_this_bench(self.component, result)

    def offer(self, name: str) -> None:
        """Offer the subject that a run or an address names where it need not be here."""

    def take_stored(self, result: Result) -> bool:  # noqa: ARG002
        """Show the result of a stored run, to whose inputs the bench is set.

        - Returns: whether it is shown. By default it is not: a bench that answers at once computes
          the same result from the same inputs.
        """
        return False

    def know(self, infos: Iterable[SubjectInfo]) -> None:
        """Show beside the subjects that can be chosen those that cannot be asked here."""
        offered = self.offered
        others = (info for info in infos if info.name not in offered)
        self.emit({"misfits": misfits_of(self.component.module, others)})

    def why_not(self, name: str, chosen_by: str, value: Any) -> Message | None:
        """The message on a named subject that this bench cannot ask; None where it can.

        - `chosen_by`: the input that names the chosen subject.
        - `value`: what to set it to in order to go on; None where nothing can be chosen.
        """
        other = value[0] if isinstance(value, list) and value else value
        back = {"label": f"Back to {other}", "set": {chosen_by: value}} if other else None
        return why_not(name, self.component.module, self.state["misfits"], back)

    def how(self, snapshot: B) -> How:  # noqa: ARG002
        """How the bench comes to the numbers that it shows, for what is in focus."""
        return how("")

    def _explain(self, _args: Arguments) -> Explained:
        return {"message": "", "how": self.how(self.snapshot())}

    @property
    def offered(self) -> list[str]:
        """Names of the subjects that can be chosen."""
        return [option["name"] for option in self.state["subjects"]]

    @property
    def known(self) -> list[str]:
        """Names of the subjects that can be chosen, and of those that do not fit."""
        return [*self.offered, *(misfit["name"] for misfit in self.state["misfits"])]

    def snapshot(self) -> B:
        """A consistent copy of the state."""
        with self._lock:
            return cast("B", self.component.state(**self.state))

    def unless_changed(self, inputs: dict[str, Any], snapshot: B) -> dict[str, Any]:
        """Inputs that nobody has changed since a snapshot: what a person has chosen stays."""
        with self._lock:
            return {n: v for n, v in inputs.items() if self.state[n] == getattr(snapshot, n)}

    def emit(self, outputs: dict[str, Any]) -> None:
        """Put outputs into the state and hand them to the host."""
        if outputs:
            with self._lock:
                self.state.update(outputs)
            if not self._closed:
                self._emit(outputs)

    def _reply(self, command: Command) -> Reply:
        number, name = command["id"], command["name"]
        try:
            if name not in self.commands:
                raise ValueError(f"Unknown command {name!r}.")
            outcome = self.commands[name](self._private.back(command))
        except Exception as error:  # noqa: BLE001  # the person is told, whatever it was
            return {"id": number, "ok": False, "message": prose(error)}
        if isinstance(outcome, str):
            return {"id": number, "ok": True, "message": outcome}
        return {"id": number, "ok": True, **outcome}

    @abstractmethod
    def answer(self, snapshot: B) -> dict[str, Any]:
        """Outputs for a state of the inputs."""
