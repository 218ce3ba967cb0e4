"""What a bench says of a key is true for the person who reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from biaslab.people.access import OWNER, Access, Role, acting_as
from biaslab.people.outbound import ANYWHERE, NOWHERE, AllowedModel, Destination, Outbound
from biaslab_widgets.benches.images.making import painters
from biaslab_widgets.benches.sentences.making import writers_of
from biaslab_widgets.core.subjects.sources import about_endpoint

HOST = (Destination("api.openai.com"),)


def visitor(outbound: Outbound) -> Access:
    return Access("anna", Role.VISITOR, Path("nowhere"), outbound=outbound)


@pytest.mark.parametrize(
    ("access", "said"),
    [
        (OWNER, "without one, OpenAI receives OPENAI_API_KEY"),
        (Access(outbound=ANYWHERE), "without one, OpenAI receives OPENAI_API_KEY"),
        (visitor(NOWHERE), "has not allowed any address yet"),
        (visitor(Outbound(services=HOST)), "No key of this server is sent"),
        (
            visitor(Outbound(services=HOST, models=(AllowedModel("m"),), own_keys=True)),
            "the models that the owner of this server lends",
        ),
    ],
)
def test_whose_key_is_sent_is_said_to_whom_it_concerns(access: Access, said: str) -> None:
    with acting_as(access):
        texts = {about_endpoint(), painters(False)[0]["about"], writers_of({})[0]["about"]}
    (text,) = texts
    assert said in text
    assert access.is_owner or "OPENAI_API_KEY" not in text
