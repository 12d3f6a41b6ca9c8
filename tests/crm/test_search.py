"""Finding a record by the first letters of its name."""

import pytest

from agencycore.tenancy import tenant
from crm.models import Company, Deal, Person, Prospect
from crm.search import find_records

pytestmark = pytest.mark.django_db


@pytest.fixture
def as_owner(owner):
    with tenant(owner.organization.id):
        mine = {"organization": owner.organization}
        larch = Company.objects.create(name="Larch & Sons", domain="larch.example", **mine)
        Company.objects.create(name="Old Larch", **mine)
        Person.objects.create(name="Lars Berg", company=larch, **mine)
        Deal.objects.create(name="Larch renewal", company=larch, **mine)
        Prospect.objects.create(company_name="Larchmont", contact_name="Ida", domain="larchmont.example", **mine)
        yield owner


def found(person, words, **limit):
    return [(each.ref.kind, each.ref.label, each.detail) for each in find_records(person.actor, words, **limit)]


def test_names_that_begin_with_the_words_come_first(as_owner):
    assert found(as_owner, "larch") == [
        ("company", "Larch & Sons", "larch.example"),
        ("deal", "Larch renewal", "Larch & Sons"),
        ("prospect", "Larchmont", "Ida"),
        ("company", "Old Larch", ""),
    ]


def test_the_list_is_short_and_takes_one_statement(as_owner, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert len(found(as_owner, "lar", limit=2)) == 2


@pytest.mark.parametrize("words", ["", "   ", "\0", "%", "_", "zebra"])
def test_words_that_name_nothing_find_nothing(as_owner, words):
    assert found(as_owner, words) == []


def test_a_stranger_finds_nothing_of_ours(as_owner, stranger):
    assert found(stranger, "larch") == []
    with tenant(stranger.organization.id):
        assert found(as_owner, "larch") == []
