"""A key that nobody sees by accident, and that only its person can use."""

from __future__ import annotations

import json
import os
import re
import urllib.parse
from collections.abc import Mapping
from typing import Any, Final

from biaslab.errors import OutboundError
from biaslab.people.access import current_access

HIDDEN: Final = "[key]"
"""Stands in messages in place of a key."""
_SHORTEST: Final = 4
"""A shorter text is not hidden in messages: it would be found in every word."""


_SHORTEST_KEY: Final = 8
"""Characters of a text in a field for a key that is taken for one."""
_NAMES: Final = re.compile(
    r"(^|[_-])(authorization|auth|\w{0,20}key|token|secret|password|passwd|credentials?)$", re.I
)


class Secret:
    """A key; what is printed, logged, compared, copied or stored of it says nothing.

    Parameters
    ----------
    text : str
        The key. It belongs to the person for whom it is made.
    of_owner : bool
        Whether it belongs to whoever runs the process, as those of environment variables do.
    """

    __slots__ = ("_by_owner", "_of_owner", "_text", "_user")

    def __init__(self, text: str, *, of_owner: bool = False) -> None:
        access = current_access()
        self._text = text
        self._by_owner = access.is_owner
        self._of_owner = of_owner or access.is_owner
        self._user = access.user

    @classmethod
    def of(cls, key: str | Secret | None) -> Secret:
        """Return a key as a secret; an empty one for None."""
        return key if isinstance(key, Secret) else cls(key or "")

    def __repr__(self) -> str:
        return "<Secret>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format("<Secret>", spec)

    def __bool__(self) -> bool:
        return bool(self._text)

    def __reduce__(self) -> Any:
        raise TypeError("A key is not stored.")

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: object) -> Secret:
        return self

    @property
    def is_of_owner(self) -> bool:
        """Whether it belongs to whoever runs the process."""
        return self._of_owner

    @property
    def is_borrowed(self) -> bool:
        """Whether it is a key of the owner, and somebody else is at work."""
        return bool(self._text) and self._of_owner and not current_access().is_owner

    def open(self, model: str | None = None) -> str:
        """Return the key itself.

        - `model`: the model for which it is used; None: for a service that whoever holds the key
          has described.
        - Raises `OutboundError` if it belongs to somebody else, and the owner has not lent it for
          this model or service.
        """
        access = current_access()
        if not self._text or access.is_owner or (not self._of_owner and access.user == self._user):
            return self._text
        # A description of somebody else's could send an owner's key anywhere.
        is_lent = (
            access.reach.own_keys and self._by_owner
            if model is None
            else access.reach.allows_own_key(model)
        )
        if self._of_owner and is_lent:
            return self._text
        raise OutboundError(
            "This needs a key of the server's owner, which is not used for you. Enter a key of your"
            " own, or ask the owner to allow it: biaslab serve --use-own-keys --allow-model NAME."
        )

    def hide(self, text: str) -> str:
        """Return a text with the key replaced, also where it is quoted or escaped."""
        if len(self._text) < _SHORTEST:
            return text
        escaped = json.dumps(self._text)[1:-1]
        forms = {
            self._text,
            escaped,
            escaped.replace("/", r"\/"),
            repr(self._text)[1:-1],
            urllib.parse.quote(self._text, safe=""),
            urllib.parse.quote(self._text),
            urllib.parse.quote_plus(self._text),
        }
        for form in sorted(forms, key=len, reverse=True):
            text = text.replace(form, HIDDEN)
        return text

    def is_in(self, text: str) -> bool:
        """Return whether a text shows the key."""
        return self.hide(text) != text


def keys_in(tree: object, name: str = "") -> tuple[str, ...]:
    """Return the keys that are written out in data, by the names of their fields.

    Examples
    --------
    >>> keys_in({"headers": {"Authorization": "Bearer 0123456789"}, "json": {"key": "{env:MINE}"}})
    ('0123456789',)
    """
    if isinstance(tree, Mapping):
        keys = [key for field, item in tree.items() for key in keys_in(item, str(field))]
    elif isinstance(tree, list):
        keys = [key for item in tree for key in keys_in(item, name)]
    elif isinstance(tree, str) and "{" not in tree and _NAMES.search(name) and tree.strip():
        keys = [tree.split()[-1]]
    else:
        keys = []
    return tuple(dict.fromkeys(key for key in keys if len(key) >= _SHORTEST_KEY))


def environment_secret(name: str) -> Secret:
    """Return the owner's secret in an environment variable; empty if it is not set."""
    return Secret(os.environ.get(name, ""), of_owner=True)
