"""Exceptions whose message says what to do next."""

from __future__ import annotations

from typing import Any


class BiaslabError(Exception):
    """Base of all errors that biaslab raises on purpose."""


class ArgumentError(BiaslabError, TypeError):
    """An argument is of a kind that cannot be used; the message says what to pass."""


class CorpusError(BiaslabError):
    """A training corpus cannot be read."""


class TrainingError(BiaslabError):
    """Training cannot begin or go on; replicates that were finished are kept."""


class PortraitError(BiaslabError):
    """A portrait cannot be drawn as requested."""


class SubjectError(BiaslabError):
    """A subject cannot be opened or used as requested."""


class DeviceMemoryError(SubjectError):
    """A device has not enough memory for a model, even with the smallest batch."""


class EmbeddingFileError(SubjectError):
    """An embedding file is damaged or is not what it seems.

    Attributes
    ----------
    path : str
        The file.
    line : int or None
        Where reading failed, counted from 1: the line of a text file, the word of a binary one.
    usable : int or None
        Number of readable words before that place: ``bl.load(path, limit=usable)`` opens them.
        None when no words can be saved this way.
    """

    def __init__(
        self, message: str, *, path: str, line: int | None = None, usable: int | None = None
    ) -> None:
        super().__init__(message)
        self.path = path
        self.line = line
        self.usable = usable


class PickleRefusedError(EmbeddingFileError):
    """A file is a pickle, and opening it would run code from the file."""


class MissingExtraError(BiaslabError):
    """An operation needs an optional dependency."""


class UnknownSubjectError(SubjectError):
    """No subject has this name; ``known`` lists the available names."""

    def __init__(self, message: str, known: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.known = known


class UnknownTermError(BiaslabError):
    """Terms unknown to the subject; ``unknown`` holds one `Unknown` per term."""

    def __init__(self, message: str, unknown: tuple[object, ...] = ()) -> None:
        super().__init__(message)
        self.unknown = unknown


class ObserverError(BiaslabError):
    """A simulated observer cannot be built as requested."""


class PsychometricError(BiaslabError, ValueError):
    """No psychometric curve can be fitted to these responses or settings."""


class TrialsError(BiaslabError, ValueError):
    """Trials of a task cannot be read or used; the message names the column or the row."""


class AnswersError(BiaslabError, ValueError):
    """Recorded answers cannot be read or used; the message names the column and the remedy.

    ``columns`` holds those of the file, where they are known; ``wants_words`` says that a file of
    word tests is missing.
    """

    columns: tuple[Any, ...] = ()
    wants_words: bool = False


class PosteriorError(BiaslabError):
    """A posterior cannot be sampled; ``partial`` holds earlier draws, or None."""

    def __init__(self, message: str, partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial


class SentenceError(BiaslabError, ValueError):
    """Sentences or pairs cannot be read, generated or stored."""


class ImageError(BiaslabError, ValueError):
    """Pictures cannot be opened, generated or stored."""


class EndpointError(BiaslabError):
    """A server cannot be used: wrong key, unreachable address or unknown model."""


class EndpointAnswerError(BiaslabError):
    """One request to a server failed; others may succeed.

    Attributes
    ----------
    final : bool
        Whether a retry would fail as well.
    """

    def __init__(self, message: str, *, final: bool = False) -> None:
        super().__init__(message)
        self.final = final


class OutboundError(BiaslabError):
    """The owner of a server does not allow this request; the message says who can allow it."""


class ServiceError(BiaslabError):
    """A service did not answer as it should.

    Attributes
    ----------
    again : bool
        Whether a retry may succeed.
    final : bool
        Whether every other text would fail too: a wrong key, a server that is down.
    retry_after : float or None
        Seconds to wait before a retry, if the service names them.
    """

    again: bool = False
    final: bool = False

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ServiceSetupError(ServiceError):
    """A service is configured wrongly, or a dependency is not installed."""

    final = True


class ServicePairError(ServiceSetupError):
    """A translator lacks this pair of languages; the message lists its pairs."""


class ServiceRefusedError(ServiceError):
    """A service refuses this caller: a wrong key, a used-up quota."""

    final = True


class ServiceUnreachableError(ServiceError):
    """The service's address does not answer; a retry may succeed."""

    again = True
    final = True


class ServiceBusyError(ServiceError):
    """A service is rate-limited (429) or overloaded; a later retry may succeed."""

    again = True


class ServiceTimeoutError(ServiceError):
    """A service did not answer in time."""

    again = True


class ServiceHangsError(ServiceTimeoutError):
    """A service within this process does not return; no second call is made meanwhile."""

    again = False
    final = True


class ServiceFailedError(ServiceError):
    """A service failed (500) or closed the connection early."""

    again = True


class ServiceAnswerError(ServiceError):
    """A service returned no valid answer, or the wrong number of answers."""


class RatingError(BiaslabError, ValueError):
    """A service cannot be rated as requested; the message says what to do."""


class WriteError(BiaslabError):
    """A file cannot be written; the existing file is unchanged."""


class ResultFormatError(BiaslabError):
    """A stored result cannot be read: unknown kind, newer version, or damaged."""


class CallError(BiaslabError):
    """A recorded call cannot be carried out again."""


class NoFigureError(BiaslabError):
    """A figure was requested of a kind of result that has none."""


class NoRawFrameError(BiaslabError):
    """A kind of result that keeps no raw observations was asked for them."""


class QueryError(BiaslabError):
    """No input is left that the probe can use.

    Attributes
    ----------
    dropped : tuple of biaslab.records.result.Dropped
        Inputs that were left out, with reasons.
    """

    def __init__(self, message: str, dropped: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.dropped = dropped


class WrongSubjectError(SubjectError, QueryError, ArgumentError):
    """A probe or bench cannot use this kind of subject; the message says which it can."""


class SpecError(BiaslabError):
    """A spec is unknown or malformed; the message names file, field and fix."""


class SpecFieldError(SpecError):
    """A field of a spec is malformed.

    Attributes
    ----------
    field : str
        The field, such as ``groups.female``.
    problem : str
        The problem and its remedy.
    where : str
        The file, or the spec's name.
    """

    def __init__(self, field: str, problem: str, where: str = "") -> None:
        super().__init__(f"{where}{': ' if where else ''}field {field!r} {problem}")
        self.field = field
        self.problem = problem
        self.where = where


class CaseError(BiaslabError):
    """A case is unknown or malformed; the message names file, field and remedy."""


class FrameError(BiaslabError, ValueError):
    """Frames are unknown or malformed; the message names the field and the remedy."""


class DeciderError(BiaslabError):
    """A decider cannot be asked; the message says what to do.

    Attributes
    ----------
    replies : tuple of biaslab.deciders.Reply
        Replies to the first questions, up to the one that failed.
    """

    def __init__(self, message: str, replies: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.replies = replies


class JobError(BiaslabError):
    """A job cannot do what was requested."""


class JobCancelledError(JobError):
    """A job was stopped and has no result."""


class JobTimeoutError(JobError, TimeoutError):
    """A job has not finished within the timeout; it continues."""


class StoreError(BiaslabError):
    """The store cannot be read or written; its content is unchanged."""


class RunNotFoundError(StoreError):
    """The store holds no run of this id."""


class FileNotStoredError(StoreError):
    """The store does not hold this file, or its content has changed."""


class NotAllowedError(BiaslabError):
    """The person may not do this on this server."""


class MemoryBudgetError(BiaslabError):
    """A request would hold more memory than it may; it was refused before it began.

    Attributes
    ----------
    free : int
        Bytes that are left.
    """

    def __init__(self, message: str, free: int = 0) -> None:
        super().__init__(message)
        self.free = free
