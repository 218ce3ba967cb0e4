"""Finds texts on which a regular expression takes more than linear time.

Python's `re` backtracks: a pattern is slow where it can read one text in several ways before it
fails. The automaton of the pattern shows this (Weber and Seidl, 1991, "On the degree of ambiguity
of finite automata"): it has two states p and q and a text v that leads from p to p, from p to q,
and from q to q. On n copies of v, `re` then tries n ways of n steps. A search adds a loop before
the pattern.

The check errs on the side of caution: a lookaround over more than one character counts as failing.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_COPIES = 4
"""A bounded repetition is followed so often: only an endless one can be slow."""
_SAMPLES = "aZ5_ \n\t\r.-<\u00e9\u0663\u00a0\u4e2d\x00"
_ONE_CHARACTER = (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN, sre.CATEGORY)
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d", sre.CATEGORY_NOT_DIGIT: r"\D", sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S", sre.CATEGORY_WORD: r"\w", sre.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip

Letter = str | None
"""A character, or None at the edge of the text."""
Condition = Callable[[Letter, Letter], bool]
"""Whether a step without a character may be taken, by the characters before and after."""
Characters = Callable[[str], bool]
Node = tuple[int, Letter]
"""A state, and a character like the one before it where the pattern looks back."""
Steps = Mapping[str, list[Node]]
"""Nodes after each letter; twice where two ways lead there."""


def slow_text(
    pattern: str | bytes, flags: int = 0, *, searches: bool = True, whole: bool = False
) -> str | None:
    """Find a text that, repeated n times, costs more than linear time; None if there is none.

    Parameters
    ----------
    pattern : str or bytes
    flags : int
        As for `re.compile`.
    searches : bool
        Whether a match may begin anywhere.
    whole : bool
        Whether a match has to reach the end, as for `re.fullmatch`.
    """
    loops = _Automaton(pattern, flags, searches=searches, whole=whole).loops()
    for p in loops.nodes:
        if found := loops.two_ways(p):
            return found
        for q in loops.after(p) - loops.matched - {p}:
            if found := loops.shared((p, p, q), (p, q, q)):
                return found
    return None


@dataclass
class _Loops:
    """The part of an automaton that a long text stays in.

    Attributes
    ----------
    nodes : dict
        Node to its steps.
    matched : set
        Nodes up to which there is a match whatever follows: from there nothing is tried again.
    """

    nodes: dict[Node, Steps]
    matched: set[Node]

    def after(self, node: Node) -> set[Node]:
        """Nodes that come after this one; itself among them where it is in a loop."""
        seen = set(_targets(self.nodes[node]))
        stack = list(seen)
        while stack:
            new = _targets(self.nodes[stack.pop()]) - seen
            seen |= new
            stack += new
        return seen

    def two_ways(self, node: Node) -> str | None:
        """A text that leads from a node to itself in two ways, and so n copies in 2^n."""
        if node in self.matched:
            return None
        for letter, targets in self.nodes[node].items():
            for one in set(targets) - self.matched:
                if targets.count(one) > 1:
                    rest = "" if one == node else self.shared((one,), (node,))
                    if rest is not None:
                        return letter + rest
        return None

    def shared(self, start: tuple[Node, ...], goal: tuple[Node, ...]) -> str | None:
        """A text that leads from each node to its goal, the last one without a match between."""
        ways: dict[tuple[Node, ...], str] = {start: ""}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for letter in self.nodes[here[0]]:
                options = [set(self.nodes[node].get(letter, ())) for node in here]
                options[-1] -= self.matched
                for there in product(*options):
                    if there == goal:
                        return ways[here] + letter
                    if there not in ways:
                        ways[there] = ways[here] + letter
                        queue.append(there)
        return None


def _targets(steps: Steps) -> set[Node]:
    return {target for targets in steps.values() for target in targets}


@dataclass
class _State:
    free: list[tuple[int, Condition | None]] = field(default_factory=list)
    reads: list[tuple[int, Characters]] = field(default_factory=list)


class _Automaton:
    """States of a pattern; `end` is reached by a match."""

    def __init__(self, pattern: str | bytes, flags: int, *, searches: bool, whole: bool) -> None:
        self._states: list[_State] = []
        self._samples = set(_SAMPLES)
        self._classes: list[Characters] = [_is_word, _is_new_line]
        self._behind: list[Characters] = []
        tree = parser.parse(pattern, flags)
        self._flags = tree.state.flags
        self._start = first = self._new()
        if searches:
            self._read(self._start, lambda _: True, self._start)
            first = self._step(self._start)
        self._end = self._step(self._sequence(tree, first), _at_end if whole else None)
        self._letters = set(_like(sorted(self._samples), self._classes).values())
        self._memory = _like(sorted(self._letters), self._behind)

    def loops(self) -> _Loops:
        """The nodes that are in loops or between them."""
        nodes: dict[Node, Steps] = {}
        queue: list[Node] = [(self._start, None)]
        while queue:
            node = queue.pop()
            if node not in nodes:
                nodes[node] = self._steps(node)
                queue += _targets(nodes[node])
        while True:
            entered = {target for steps in nodes.values() for target in _targets(steps)}
            lasting = {n for n, steps in nodes.items() if n in entered and _targets(steps)}
            if len(lasting) == len(nodes):
                break
            nodes = {
                node: {c: [n for n in to if n in lasting] for c, to in nodes[node].items()}
                for node in lasting
            }
        return _Loops(nodes, {node for node in nodes if self._has_matched(node[0])})

    def _steps(self, node: Node) -> Steps:
        state, before = node
        return {
            letter: [
                (target, self._memory[letter] if self._behind else None)
                for here in self._reached(state, before, letter)
                for target, takes in self._states[here].reads
                if takes(letter)
            ]
            for letter in self._letters
        }

    def _reached(self, state: int, before: Letter, after: Letter) -> Iterator[int]:
        """States reached without a character, once for each way that leads there."""
        stack: list[tuple[int, tuple[int, ...]]] = [(state, (state,))]
        while stack:
            here, way = stack.pop()
            yield here
            for target, condition in self._states[here].free:
                if target not in way and (condition is None or condition(before, after)):
                    stack.append((target, (*way, target)))

    def _has_matched(self, state: int) -> bool:
        seen: set[int] = set()
        stack = [state]
        while stack:
            here = stack.pop()
            if here not in seen:
                seen.add(here)
                stack += [to for to, condition in self._states[here].free if condition is None]
        return self._end in seen

    # Building: each method adds an item of the pattern after a state, and returns its last state.

    def _new(self) -> int:
        self._states.append(_State())
        return len(self._states) - 1

    def _step(self, source: int, condition: Condition | None = None) -> int:
        target = self._new()
        self._states[source].free.append((target, condition))
        return target

    def _join(self, source: int, target: int) -> None:
        self._states[source].free.append((target, None))

    def _read(self, source: int, characters: Characters, target: int) -> int:
        self._classes.append(characters)
        self._states[source].reads.append((target, characters))
        return target

    def _sequence(self, items: Iterable[Any], start: int) -> int:
        for operation, argument in items:
            start = self._item(operation, argument, start)
        return start

    def _item(self, operation: Any, argument: Any, start: int) -> int:
        if operation in _ONE_CHARACTER:
            return self._read(start, self._characters(operation, argument), self._new())
        if operation in _REPEATS:
            return self._repeat(start, *argument)
        if operation is sre.BRANCH:
            end = self._new()
            for choice in argument[1]:
                self._join(self._sequence(choice, self._step(start)), end)
            return end
        if operation is sre.SUBPATTERN:
            return self._sequence(argument[3], start)
        if operation is sre.ATOMIC_GROUP:
            return self._sequence(argument, start)
        if operation is sre.AT:
            return self._step(start, self._place(argument))
        if operation in (sre.ASSERT, sre.ASSERT_NOT):
            return self._look(start, operation is sre.ASSERT, *argument)
        raise NotImplementedError(f"{operation} is not followed: extend this check.")

    def _repeat(self, start: int, least: int, most: Any, items: Any) -> int:
        for _ in range(min(least, _COPIES)):
            start = self._sequence(items, start)
        if most is sre.MAXREPEAT:
            loop = self._step(start)
            self._join(self._sequence(items, self._step(loop)), loop)
            return self._step(loop)
        end = self._step(start)
        for _ in range(min(most - least, _COPIES)):
            start = self._sequence(items, start)
            self._join(start, end)
        return end

    def _look(self, start: int, wanted: bool, direction: int, items: Any) -> int:
        takes = self._one_character(items)
        if direction < 0:
            if takes is None:  # of a fixed length, and so of a fixed cost
                return self._step(start, _perhaps)
            self._behind.append(lambda letter: takes(letter))
            return self._step(start, lambda before, _: takes(before) == wanted)
        if takes is None:
            self._sequence(items, self._step(start))
            return self._step(start, _perhaps)
        return self._step(start, lambda _, after: takes(after) == wanted)

    def _one_character(self, items: Any) -> Callable[[Letter], bool] | None:
        """What a lookaround over one character, or the end of the text, takes."""
        items = list(items)
        if len(items) == 1 and items[0][0] is sre.SUBPATTERN:
            items = list(items[0][1][3])
        choices = [items]
        if len(items) == 1 and items[0][0] is sre.BRANCH:
            choices = [list(choice) for choice in items[0][1][1]]
        found: list[Characters] = []
        edge = False
        for choice in choices:
            if len(choice) != 1:
                return None
            operation, argument = choice[0]
            if operation is sre.AT and argument is sre.AT_END:
                edge = True
            elif operation in _ONE_CHARACTER:
                found.append(self._characters(operation, argument))
            else:
                return None
        self._classes += found
        return lambda letter: edge if letter is None else any(takes(letter) for takes in found)

    def _place(self, place: Any) -> Condition:
        lines = bool(self._flags & re.MULTILINE)
        if place in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
            self._behind.append(_is_new_line)
            each = lines and place is sre.AT_BEGINNING
            return lambda before, _: before is None or (each and before == "\n")
        if place in (sre.AT_END, sre.AT_END_STRING):
            each = lines and place is sre.AT_END
            return lambda _, after: after is None or (each and after == "\n")
        if place in (sre.AT_BOUNDARY, sre.AT_NON_BOUNDARY):
            self._behind.append(_is_word)
            wanted = place is sre.AT_BOUNDARY
            return lambda before, after: (_is_word(before) != _is_word(after)) == wanted
        raise NotImplementedError(f"{place} is not followed: extend this check.")

    def _characters(self, operation: Any, argument: Any) -> Characters:
        if operation is sre.ANY:
            dot_all = bool(self._flags & re.DOTALL)
            return lambda letter: dot_all or letter != "\n"
        if operation is sre.CATEGORY:
            matches = re.compile(_CATEGORIES[argument]).match
            return lambda letter: matches(letter) is not None
        if operation is sre.IN:
            negated = argument[0][0] is sre.NEGATE
            parts = [self._characters(*part) for part in argument[negated:]]
            return lambda letter: any(part(letter) for part in parts) != negated
        low, high = argument if operation is sre.RANGE else (argument, argument)
        self._samples |= {chr(low), chr(high), chr(max(0, low - 1)), chr(min(0x10FFFF, high + 1))}
        folds = bool(self._flags & re.IGNORECASE)
        wanted = operation is not sre.NOT_LITERAL

        def takes(letter: str) -> bool:
            forms = {letter, letter.lower(), letter.upper()} if folds else {letter}
            return any(len(form) == 1 and low <= ord(form) <= high for form in forms) == wanted

        return takes


def _like(letters: Iterable[str], classes: Iterable[Characters]) -> dict[str, str]:
    """Letter to the first one that the classes do not tell from it."""
    first: dict[tuple[bool, ...], str] = {}
    classes = list(classes)
    return {c: first.setdefault(tuple(takes(c) for takes in classes), c) for c in letters}


def _is_word(letter: Letter) -> bool:
    return letter is not None and (letter.isalnum() or letter == "_")


def _is_new_line(letter: Letter) -> bool:
    return letter == "\n"


def _at_end(_: Letter, after: Letter) -> bool:
    return after is None


def _perhaps(_: Letter, __: Letter) -> bool:
    return True
