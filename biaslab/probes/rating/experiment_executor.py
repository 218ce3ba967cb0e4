"""Experiment executor: sends all texts to a service and stores its answers.

A module of the paper's Fig. 3. A run that is killed continues where it was, and another test on the
same texts makes no call: every answer of every step is stored within a quarter of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from biaslab.arguments import renamed
from biaslab.asking.calling import Called, Caller, each_of
from biaslab.asking.stored_replies import TimedValues, stored_key
from biaslab.asking.translation import language_problem, sentence_problem
from biaslab.errors import QueryError, ServiceAnswerError, ServiceError
from biaslab.jobs.context import JobContext, current_context
from biaslab.probes.rating.distribution_analysis import CallPlan, Response, Responses
from biaslab.services import AnyService, Chain, Service, as_chain
from biaslab.store import Store

KIND = "service-answer/1"


class AnswerCache:
    """Answers of services, by identity, text and number of the repetition.

    Parameters
    ----------
    store : Store or None
        None: nothing is stored or found.
    repetition : int
        Which answer of a service that answers differently each time.

    Attributes
    ----------
    problems : list of str
        A failure of the store, which does not end the run.
    """

    def __init__(self, store: Store | None, repetition: int = 0) -> None:
        self.problems: list[str] = []
        self._stored = TimedValues(store, KIND, self.problems, "Answers are not cached")
        self._repetition = repetition
        self.write = self._stored.flush

    def find(self, service: Service, texts: Iterable[str]) -> dict[str, str]:
        """Return the cached answers of texts."""
        if not self._stored.is_used or not service.identity:
            return {}
        keys = {stored_key(service.identity, text, self._repetition): text for text in texts}
        return {keys[key]: answer for key, answer in self._stored.find(keys).items()}

    def keep(self, service: Service, answers: Mapping[str, str]) -> None:
        """Add answers."""
        if self._stored.is_used and service.identity:
            self._stored.put(
                {
                    stored_key(service.identity, text, self._repetition): answer
                    for text, answer in answers.items()
                }
            )


PATIENCE = 5
"""Batches that fail one after another before a service is taken to be out of order."""
_STOPPED = "It was not tested: the run was stopped."


@renamed(service="subject", report="on_progress")
def execute(
    subject: AnyService,
    texts: Sequence[str],
    *,
    store: Store | None = None,
    keep: bool = True,
    concurrency: int | None = None,
    repetition: int = 0,
    on_progress: Callable[[int, int], object] | None = None,
) -> Responses:
    """Ask a service all texts.

    Equal texts are sent once. Calls that failed temporarily are retried after a
    while, within the service's limits. A text without an answer keeps its reason; the others
    continue. A service that is down, or that fails at several calls in a row, is not called again.
    Aborted as a job, it returns the answers so far, with ``complete=False``.

    Parameters
    ----------
    subject : Service, Chain or callable
    texts : sequence of str
        The texts to send.
    store : Store, optional
        Store of answers; by default the user's own.
    keep : bool
        Whether to use the store at all.
    concurrency : int, optional
        Calls under way at once at most; by default as many as each service takes.
    repetition : int
        From 0: use another number for a service that answers differently each time.
    on_progress : callable, optional
        Called with (answers of single steps so far, in all); by default reports to the context.

    Returns
    -------
    Responses

    Raises
    ------
    ServiceError
        If no text was answered and the service is down; else the answers so far are returned, with
        the problem.
    QueryError
        If there is no text.
    """
    chain = as_chain(subject)
    texts = _checked(texts)
    job = current_context()
    if concurrency is not None and concurrency < 1:
        raise QueryError("concurrency must be a whole number of at least 1.")
    cache = AnswerCache((store or Store()) if keep else None, repetition)
    tell = on_progress or (lambda done, total: job.report(done, total, f"asking {chain.name}"))
    run = _Run(chain, tuple(dict.fromkeys(texts)), cache, concurrency, tell, job)
    run.ask_all()
    return run.responses(texts)


@renamed(service="subject")
def calls_needed(
    subject: AnyService,
    texts: Sequence[str],
    *,
    store: Store | None = None,
    keep: bool = True,
    repetition: int = 0,
) -> CallPlan:
    """Estimate the calls of `execute` with the same arguments, without a call.

    Raises
    ------
    QueryError
        If there is no text.
    """
    chain = as_chain(subject)
    cache = AnswerCache((store or Store()) if keep else None, repetition)
    known: dict[str, str | None] = {text: text for text in _checked(texts)}
    calls = characters = from_store = 0
    cost, seconds = 0.0, 0.0
    paced = False
    for step in chain.steps:
        inputs = {text for text in known.values() if text is not None}
        answers = cache.find(step, inputs)
        from_store += len(answers)
        # An unknown answer is taken to be as long as its text.
        lengths = [len(text) for text in inputs if text not in answers]
        lengths += [len(text) for text, now in known.items() if now is None]
        step_calls = -(-len(lengths) // step.limits.texts_per_call)
        calls += step_calls
        characters += sum(lengths)
        cost += step.cost.of(step_calls, sum(lengths))
        if step.limits.calls_per_second:
            paced = True
            seconds += max(0, step_calls - 1) / step.limits.calls_per_second
        known = {text: answers.get(now) if now else None for text, now in known.items()}
    return CallPlan(
        calls, characters, from_store, cost, _currency(chain), seconds if paced else None
    )


class _Run:
    """One pass of texts through a chain."""

    def __init__(
        self,
        chain: Chain,
        texts: tuple[str, ...],
        cache: AnswerCache,
        concurrency: int | None,
        report: Callable[[int, int], object],
        context: JobContext,
    ) -> None:
        self.chain, self.texts, self.cache = chain, texts, cache
        self.concurrency, self.report, self.context = concurrency, report, context
        self.answers: dict[str, list[str]] = {text: [] for text in texts}
        self.failures: dict[str, str] = {}
        self.rejected: set[str] = set()
        self.problems: list[str] = []
        self.calls = self.characters = self.from_store = 0
        self.cost = 0.0
        self.complete = True
        self._done = 0

    def ask_all(self) -> None:
        self._report(0)
        for number, step in enumerate(self.chain.steps):
            now = {t: self.answers[t][-1] if number else t for t in self._alive()}
            answers, failures = self._ask_step(step, tuple(dict.fromkeys(now.values())))
            for text, sent in now.items():
                if sent in failures:
                    self.failures[text] = failures[sent]
                else:
                    self._take(text, sent, answers[sent], number)
        if not self.complete and not self.problems:
            self.problems.append("The run was stopped before every text was sent.")

    def responses(self, texts: Sequence[str]) -> Responses:
        chain = self.chain
        responses = tuple(
            Response(
                t, tuple(self.answers[t]), self.failures.get(t, ""), rejected=t in self.rejected
            )
            for t in texts
        )
        return Responses(
            chain.name, chain.identity, tuple(s.name for s in chain.steps), chain.languages,
            chain.middle, responses, self.calls, self.characters, self.from_store, self.cost,
            _currency(chain), (*self.problems, *self.cache.problems), self.complete,
        )  # fmt: skip

    def _alive(self) -> list[str]:
        return [text for text in self.texts if text not in self.failures]

    def _take(self, text: str, sent: str, answer: str, number: int) -> None:
        """Add an answer to a text, and look whether it can be one."""
        self.answers[text].append(answer)
        languages, step = self.chain.languages, self.chain.steps[number]
        source = str(getattr(step, "source", ""))
        problem = language_problem(answer, sent, source, languages[number + 1])
        last = number + 1 == len(self.chain.steps)
        if not problem and last and languages[0] and languages[0] == languages[-1]:
            problem = sentence_problem(answer, text, languages[-1])
        if problem:
            self.failures[text] = f"The answer of {step.name} {problem}"
            self.rejected.add(text)

    def _ask_step(
        self, step: Service, texts: tuple[str, ...]
    ) -> tuple[dict[str, str], dict[str, str]]:
        """Return answers and failures of the texts; each text is in one of the two."""
        answers = self.cache.find(step, texts)
        self.from_store += len(answers)
        self._report(len(answers))
        failures: dict[str, str] = {}
        longest = step.limits.characters_per_text
        for text in texts:
            if longest is not None and len(text) > longest and text not in answers:
                failures[text] = (
                    f"It has {len(text)} characters: {step.name} takes {longest} at most."
                )
        rest = [text for text in texts if text not in answers and text not in failures]
        asking = _StepCalls(Caller(step), self.cache, self.context)
        if rest and not self.context.should_stop:
            self._ask_rest(step, rest, asking)
        answers |= asking.answers
        failures |= asking.failures
        self.calls += asking.calls
        self.characters += asking.characters
        self.cost += step.cost.of(asking.calls, asking.characters)
        if asking.problem is not None:
            if not answers and not any(self.answers.values()):
                raise asking.problem
            self.complete = False
            self.problems.append(
                f"{asking.problem} {step.name} was not called again. Its answers are kept; run"
                " this again to continue."
            )
        left = [text for text in texts if text not in answers and text not in failures]
        if left:
            self.complete = False
            why = _STOPPED if asking.problem is None else f"It was not tested: {asking.problem}"
            failures |= dict.fromkeys(left, why)
        return answers, failures

    def _ask_rest(self, step: Service, texts: list[str], asking: _StepCalls) -> None:
        size, most = step.limits.texts_per_call, step.limits.concurrency
        batches = [texts[start : start + size] for start in range(0, len(texts), size)]
        try:
            # Running calls finish after a stop, and their answers are stored.
            for _, called in each_of(
                asking.caller.call, batches, concurrency=min(most, self.concurrency or most),
                context=asking, finish=True,
            ):  # fmt: skip
                asking.take(called)
                if not self.context.should_stop:
                    self._report(len(called.answers) + len(called.failures))
        finally:
            self.cache.write()

    def _report(self, more: int) -> None:
        self._done += more
        self.report(self._done, len(self.texts) * len(self.chain.steps))


class _StepCalls(JobContext):
    """Results of one step, which ends with its job or with a service that is down."""

    def __init__(self, caller: Caller, cache: AnswerCache, job: JobContext) -> None:
        self.caller, self._cache, self._job = caller, cache, job
        self.answers: dict[str, str] = {}
        self.failures: dict[str, str] = {}
        self.calls = self.characters = 0
        self.problem: ServiceError | None = None
        self._in_a_row = 0

    @property
    def should_stop(self) -> bool:
        return self.problem is not None or self._job.should_stop

    def take(self, called: Called) -> None:
        self._cache.keep(self.caller.service, called.answers)
        self.answers |= called.answers
        self.failures |= called.failures
        self.calls += called.calls
        self.characters += called.characters
        error = called.error
        if called.answers or error is None:
            self._in_a_row = 0 if called.answers else self._in_a_row
            return
        self._in_a_row += 1
        # Texts of one kind may all be refused by a service in order: that is no reason to stop it.
        single = isinstance(error, ServiceAnswerError) and bool(self.answers)
        if error.final or (self._in_a_row >= PATIENCE and not single):
            self.problem = self.problem or error


def _checked(texts: Sequence[str]) -> list[str]:
    if isinstance(texts, str):
        raise QueryError("Pass a list of texts, not one text.")
    entries: list[object] = list(texts)
    if not entries:
        raise QueryError("There is nothing to send: give at least one text.")
    for text in entries:
        if not isinstance(text, str) or not text.strip():
            raise QueryError(f"{text!r} is not a text to send. Leave it out.")
    return list(texts)


def _currency(chain: Chain) -> str:
    return ", ".join(dict.fromkeys(s.cost.currency for s in chain.steps if s.cost.currency))
