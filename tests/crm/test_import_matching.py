"""Which record a row of an import is about, and that no table of rows makes an import crash."""

import csv
import io

import pytest
from django.db import IntegrityError, transaction
from hypothesis import HealthCheck, example, given
from hypothesis import settings as property_tests
from hypothesis import strategies as st

from agencycore.tenancy import tenant
from crm.importing import ImportRefused, imports
from crm.models import Company, Deal, FieldChange, Person
from tests.crm.importing import bring_in, companies, refused
from tests.crm.records import make_company, make_contact, make_deal

pytestmark = pytest.mark.django_db

SEVERAL = "in the CRM or in this file fit this row."


def people(member):
    with tenant(member.organization.pk):
        return list(Person.objects.order_by("name", "email", "title").values_list("name", "email", "company__name"))


# --- companies -----------------------------------------------------------------------------------


def test_two_rows_cannot_both_complete_the_company_of_their_name(owner):
    bring_in(owner, "companies", "Name,Country\nFoo Test GmbH,Germany\n")

    problems = refused(
        owner,
        "companies",
        "Name,Domain,Country\nFoo Test GmbH,footest.com,France\nFoo Test GmbH,footest.de,Spain\n",
    )

    assert problems == [(3, "Domain", "repeats row 2.")]
    assert companies(owner) == [("Foo Test GmbH", "", "lead")]


def test_a_row_with_only_a_name_updates_the_only_company_of_that_name(owner):
    bring_in(owner, "companies", "Name,Domain\nAcme,acme.example\nBeta,beta.example\n")

    result = bring_in(owner, "companies", "Name,Country\nacme,Ireland\n")

    assert (result.created, result.updated) == (0, 1)
    assert companies(owner) == [("Beta", "beta.example", "lead"), ("acme", "acme.example", "lead")]


def test_a_row_with_only_a_name_that_several_companies_have_is_refused(owner):
    bring_in(owner, "companies", "Name,Domain\nTwin,one.example\nTwin,two.example\n")

    assert refused(owner, "companies", "Name,Country\nNew,Spain\nTwin,Ireland\n") == [
        (3, "Name", f"Several companies {SEVERAL} Add its Domain to tell which is meant.")
    ]


@pytest.mark.parametrize("rows", [["Acme,", "Acme,acme.example"], ["Acme,acme.example", "Acme,"]])
def test_a_row_with_only_a_name_repeats_the_row_that_adds_the_domain_wherever_it_stands(owner, rows):
    assert refused(owner, "companies", "\n".join(["Name,Domain", *rows])) == [(3, "Name", "repeats row 2.")]


def test_another_domain_is_another_company_of_the_same_name(owner):
    bring_in(owner, "companies", "Name,Domain\nTwin,one.example\n")

    result = bring_in(owner, "companies", "Name,Domain\nTwin,two.example\n")

    assert (result.created, result.updated) == (1, 0)


def test_a_row_with_a_domain_completes_no_company_when_several_without_one_have_its_name(owner):
    with tenant(owner.organization.pk):
        make_company(owner, "Twin", domain="")
        make_company(owner, "Twin", domain="")

    assert refused(owner, "companies", "Name,Domain\nTwin,twin.example\n") == [
        (2, "Domain", f"Several companies {SEVERAL}")
    ]


def test_a_company_of_that_name_in_another_organization_is_not_updated(owner, stranger):
    bring_in(stranger, "companies", "Name,Domain\nAcme,acme.example\n")

    result = bring_in(owner, "companies", "Name,Country\nAcme,Ireland\n")

    assert (result.created, result.updated) == (1, 0)
    assert companies(stranger) == [("Acme", "acme.example", "lead")]


# --- people --------------------------------------------------------------------------------------


def test_people_are_imported_with_nothing_but_their_names(owner):
    first = bring_in(owner, "people", "Name\nJane Doe\nPiet Smit\n")
    second = bring_in(owner, "people", "Name\nJane Doe\nPiet Smit\n")

    assert (first.created, second.created, second.unchanged) == (2, 0, 2)
    assert people(owner) == [("Jane Doe", "", None), ("Piet Smit", "", None)]


def test_a_row_with_only_a_name_updates_the_only_person_of_that_name(owner):
    with tenant(owner.organization.pk):
        make_contact(owner, make_company(owner, "Acme"), "Jane Doe", email="jane@acme.example")

    result = bring_in(owner, "people", "Name,Title\nJane Doe,CFO\n")

    assert (result.created, result.updated) == (0, 1)


def test_a_row_with_only_a_name_that_several_people_have_is_refused(owner):
    with tenant(owner.organization.pk):
        make_contact(owner, make_company(owner, "Acme"), "Jane Doe")
        make_contact(owner, make_company(owner, "Beta"), "Jane Doe")

    assert refused(owner, "people", "Name,Title\nJane Doe,CFO\n") == [
        (2, "Name", f"Several people {SEVERAL} Add its E-mail to tell which is meant.")
    ]


def test_two_new_addresses_cannot_both_complete_the_person_of_their_name_and_company(owner):
    with tenant(owner.organization.pk):
        make_contact(owner, make_company(owner, "Acme"), "Jane Doe")

    problems = refused(
        owner, "people", "Name,Company,E-mail\nJane Doe,Acme,a@acme.example\nJane Doe,Acme,b@acme.example\n"
    )

    assert problems == [(3, "E-mail", "repeats row 2.")]
    assert people(owner) == [("Jane Doe", "", "Acme")]


# --- deals ---------------------------------------------------------------------------------------


def test_two_rows_cannot_both_be_about_one_deal(owner):
    with tenant(owner.organization.pk):
        make_deal(owner, make_company(owner, "Acme"), "Licence")

    problems = refused(owner, "deals", "Name,Company,Amount\nLicence,Acme,1\nLICENCE,acme.example,2\n")

    assert problems == [(3, "Name", "repeats row 2.")]


# --- any table -----------------------------------------------------------------------------------

NAMES = st.sampled_from(["Foo", "FOO", "Bar"])
DOMAINS = st.sampled_from(["", "foo.com", "foo.de", "straße.de", "strasse.de"])
MAILS = st.sampled_from(["", "a@foo.com", "b@foo.com", "A@foo.com"])
AT = st.sampled_from(["", "home.com", "Home", "away.com"])
WORDS = st.sampled_from(["", "x", "y"])


def tables(header, *cells):
    """Up to three files of a few rows, to be imported one after the other."""
    rows = st.lists(st.tuples(*cells), min_size=1, max_size=4)
    return st.lists(rows.map(lambda body: [header, *body]), min_size=1, max_size=3)


FILES = st.one_of(
    st.tuples(st.just("companies"), tables(("Name", "Domain", "Country"), NAMES, DOMAINS, WORDS)),
    st.tuples(st.just("people"), tables(("Name", "E-mail", "Company", "Title"), NAMES, MAILS, AT, WORDS)),
    st.tuples(st.just("deals"), tables(("Name", "Company", "Currency"), NAMES, AT, st.sampled_from(["", "USD"]))),
)


def as_csv(rows):
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue()


def everything(member):
    with tenant(member.organization.pk):
        return [
            sorted(Company.objects.values_list("pk", "name", "domain", "country")),
            sorted(Person.objects.values_list("pk", "name", "email", "company", "title"), key=str),
            sorted(Deal.objects.values_list("pk", "name", "company", "currency")),
            FieldChange.objects.count(),
        ]


def outcome_of(member, kind, rows):
    try:
        return bring_in(member, kind, as_csv(rows))
    except ImportRefused as refusal:
        return refusal


def check_import(member, kind, rows):
    """The import is refused by row and changes nothing, or it is done and doing it again changes nothing."""
    before = everything(member)
    result = outcome_of(member, kind, rows)
    if isinstance(result, ImportRefused):
        assert result.problems
        assert {problem.row for problem in result.problems} <= set(range(2, len(rows) + 1))
        assert everything(member) == before
        return
    assert result.created + result.updated + result.unchanged == len(rows) - 1
    after = everything(member)
    again = bring_in(member, kind, as_csv(rows))
    assert (again.created, again.updated, again.unchanged) == (0, 0, len(rows) - 1)
    assert everything(member) == after


@property_tests(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(FILES)
@example(("companies", [[("Name", "Domain", "Country"), ("Foo", "straße.de", ""), ("Foo", "strasse.de", "")]]))
@example(("people", [[("Name", "E-mail", "Company", "Title"), ("Foo", "", "", ""), ("Foo", "", "Home", "x")]] * 2))
def test_any_table_is_imported_for_good_or_refused_by_row(owner, files):
    kind, tables = files
    with transaction.atomic():
        with tenant(owner.organization.pk):
            make_company(owner, "Home", domain="home.com")
            make_company(owner, "Away", domain="away.com")
        for rows in tables:
            check_import(owner, kind, rows)
        transaction.set_rollback(True)


def test_a_record_that_appears_during_the_import_refuses_it_in_words(owner, monkeypatch):
    def taken(importer, batch):
        raise IntegrityError

    monkeypatch.setattr(imports, "write", taken)

    with pytest.raises(ImportRefused, match="Some companies were changed meanwhile"):
        bring_in(owner, "companies", "Name\nAcme\n")
