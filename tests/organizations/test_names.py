"""How a person is named on the pages."""

import pytest

from organizations.models import User


@pytest.mark.parametrize(
    ("fields", "name", "initials"),
    [
        ({"username": "demo", "first_name": "Dana", "last_name": "Reyes"}, "Dana Reyes", "DR"),
        ({"username": "demo", "first_name": "Ana Maria", "last_name": "de Souza"}, "Ana Maria de Souza", "AS"),
        ({"username": "demo", "first_name": "Dana"}, "Dana", "DA"),
        ({"username": "rival"}, "rival", "RI"),
    ],
)
def test_a_person_is_shown_by_name_and_initials(fields, name, initials):
    person = User(**fields)

    assert (person.shown_name, person.initials) == (name, initials)
