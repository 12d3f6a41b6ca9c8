"""Importing CSV files: what is read, what is refused and where, and that nothing is half-imported."""

import csv
import datetime
import io
from decimal import Decimal

import pytest

from agencycore.tenancy import tenant
from crm.importing import IMPORT_MAX_ROWS
from crm.models import Company, Deal, FieldChange, Person
from crm.models.records import RecordQuerySet
from tests.corpora import corpus
from tests.crm.importing import bring_in, companies, refused
from tests.crm.records import NOON, make_company, make_contact, make_deal

pytestmark = pytest.mark.django_db

HEADER = "Name,Domain,Industry,Country,Size,Lifecycle stage,Owner"
ONE = f"{HEADER}\nAcme,acme.example,Payments,Ireland,51-200,Prospect,olivia\n"


def test_a_company_is_imported_with_all_its_columns(owner):
    result = bring_in(owner, "companies", ONE)

    with tenant(owner.organization.pk):
        company = Company.objects.get()
    assert str(result) == "1 created, 0 updated, 0 unchanged."
    assert (company.name, company.domain, company.industry, company.country, company.size_band) == (
        "Acme", "acme.example", "Payments", "Ireland", "51-200",
    )  # fmt: skip
    assert (company.lifecycle_stage, company.stage_cause) == ("prospect", "Imported from list.csv.")
    assert company.owner_id == owner.user.pk


def test_a_known_domain_updates_the_company_and_keeps_the_history(owner):
    with tenant(owner.organization.pk):
        make_company(owner, "Acme", industry="Banking", country="Spain", stage_since=NOON)

    result = bring_in(
        owner, "companies", "domain,name,industry,country,stage\nwww.ACME.example,Acme,Payments,,customer\n"
    )

    with tenant(owner.organization.pk):
        company = Company.objects.get()
        changes = FieldChange.objects.order_by("id").values_list("field", "old", "new", "cause", "changed_by")
        assert list(changes) == [
            ("industry", "Banking", "Payments", "Imported from list.csv.", owner.user.pk),
            ("lifecycle_stage", "Lead", "Customer", "Imported from list.csv.", owner.user.pk),
        ]
    assert (result.created, result.updated, result.unchanged) == (0, 1, 0)
    assert (company.industry, company.country, company.lifecycle_stage) == ("Payments", "Spain", "customer")
    assert company.stage_since > NOON


def test_importing_the_same_file_twice_changes_nothing(owner):
    bring_in(owner, "companies", ONE)

    result = bring_in(owner, "companies", ONE)

    assert (result.created, result.updated, result.unchanged) == (0, 0, 1)
    with tenant(owner.organization.pk):
        assert FieldChange.objects.count() == 0


def test_a_company_without_domain_is_known_by_its_name_and_gets_the_domain(owner):
    with tenant(owner.organization.pk):
        make_company(owner, "Acme", domain="")

    result = bring_in(owner, "companies", "name,domain\nACME,acme.example\n")

    assert (result.created, result.updated) == (0, 1)
    assert companies(owner) == [("ACME", "acme.example", "lead")]


def test_the_same_domain_in_another_organization_is_another_company(owner, stranger):
    bring_in(stranger, "companies", "name,domain\nTheirs,acme.example\n")

    bring_in(owner, "companies", "name,domain\nOurs,acme.example\n")

    assert companies(owner) == [("Ours", "acme.example", "lead")]
    assert companies(stranger) == [("Theirs", "acme.example", "lead")]


def test_an_import_touches_no_other_organization_even_when_the_filter_is_forgotten(owner, stranger, monkeypatch):
    bring_in(stranger, "companies", "name,domain\nTheirs,acme.example\n")
    monkeypatch.setattr(RecordQuerySet, "visible_to", lambda self, actor: self.all())

    bring_in(owner, "companies", "name,domain\nOurs,acme.example\n")

    monkeypatch.undo()
    assert companies(stranger) == [("Theirs", "acme.example", "lead")]


def test_problems_are_named_by_row_and_column_and_nothing_is_imported(owner):
    rows = [
        "Good,good.example,,,,,",
        "Bad stage,bad.example,,,,King,",
        ",none.example,,,,,",
        "",
        "Bad two,not a domain,,,many,,stranger@birch.example",
        "Again,GOOD.example,,,,,",
    ]

    problems = refused(owner, "companies", "\n".join([HEADER, *rows]))

    assert problems == [
        (
            3,
            "Lifecycle stage",
            "“King” is not one of: Lead, Prospect, Opportunity, Customer, Former customer, Disqualified.",
        ),
        (4, "Name", "is empty."),
        (6, "Domain", "“not a domain” is not a web domain, for example acme.com."),
        (
            6,
            "Size",
            "“many” is not one of: 1–10 employees, 11–50 employees, 51–200 employees, 201–500 employees, "
            "501–1,000 employees, 1,001–5,000 employees, more than 5,000 employees.",
        ),
        (
            6,
            "Owner",
            "There is no “stranger@birch.example” among the members of your organization. "
            "Write their user name or e-mail.",
        ),
        (7, "Domain", "repeats row 2."),
    ]
    assert companies(owner) == []


@pytest.mark.parametrize(
    ("cell", "band"),
    [
        ("7", "1-10"), ("51", "51-200"), ("1,000", "501-1000"), ("9000", "5001+"), ("5001+", "5001+"),
        ("51–200", "51-200"), ("201-500 employees", "201-500"), ("1,001–5,000 employees", "1001-5000"),
        ("more than 5,000 employees", "5001+"),
    ],
)  # fmt: skip
def test_a_size_is_a_band_or_a_number_of_employees(owner, cell, band):
    bring_in(owner, "companies", f'name;size\nAcme;"{cell}"\n')

    with tenant(owner.organization.pk):
        assert Company.objects.get().size_band == band


@pytest.mark.parametrize(
    ("cell", "domain"),
    [
        ("https://www.Acme.com/about?x=1", "acme.com"),
        ("ACME.co.uk", "acme.co.uk"),
        ("müller.de", "müller.de"),
        ("http://a-b.example.", "a-b.example"),
    ],
)
def test_an_address_is_cut_to_its_domain(owner, cell, domain):
    bring_in(owner, "companies", f"name,website\nAcme,{cell}\n")

    assert companies(owner) == [("Acme", domain, "lead")]


# --- header and cells --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "problems"),
    [
        ("domain,industry", [(1, "Name", "is missing from the header.")]),
        ("name,company,domain", [(1, "Name", "appears twice in the header.")]),
        ("x,y", [(1, "Name", "is missing from the header.")]),
    ],
)
def test_a_header_that_does_not_fit_is_refused_in_words(owner, header, problems):
    assert refused(owner, "companies", f"{header}\na,b\n") == problems


def test_columns_that_are_not_known_are_left_out_and_named(owner):
    result = bring_in(owner, "companies", "Company Name,Shoe size,,WEBSITE\nAcme,44,x,acme.example\n")

    assert str(result) == "1 created, 0 updated, 0 unchanged. Ignored columns: “Shoe size”."
    assert companies(owner) == [("Acme", "acme.example", "lead")]


def test_a_row_with_more_cells_than_the_header_is_refused(owner):
    assert refused(owner, "companies", "name,domain\nAcme,acme.example,oops\n") == [
        (2, "3", "has no header; the header has 2 columns.")
    ]


@pytest.mark.parametrize("formula", ["=1+1", "+SUM(A1)", "-2", "@cmd", '=HYPERLINK("http://x")', "\t=1"])
def test_a_formula_is_kept_as_the_text_it_is(owner, formula):
    buffer = io.StringIO()
    csv.writer(buffer).writerows([["name", "industry"], [formula, formula]])

    bring_in(owner, "companies", buffer.getvalue())

    with tenant(owner.organization.pk):
        company = Company.objects.get()
    assert (company.name, company.industry) == (formula.strip(), formula.strip())


def test_known_attacks_on_spreadsheets_are_stored_as_the_text_they_are(owner):
    lines = (
        line.strip()[:200].strip()
        for file in sorted(corpus("attacks/csv-injection").rglob("*"))
        if file.is_file()
        for line in file.read_text(errors="replace").splitlines()
    )
    names = {line.casefold(): line for line in lines if line}
    buffer = io.StringIO()
    csv.writer(buffer).writerows([["name"], *([name] for name in names.values())])

    result = bring_in(owner, "companies", buffer.getvalue())

    assert result.created == len(companies(owner)) == len(names)


def test_people_are_imported_at_companies_named_by_domain_or_name(owner):
    with tenant(owner.organization.pk):
        acme, beta = make_company(owner, "Acme"), make_company(owner, "Beta")

    bring_in(
        owner,
        "people",
        "Full name,E-mail,Job title,Company,Phone,Owner\n"
        "Jane Doe,Jane@Acme.example,CFO,acme.example,+44 1,olivia@example.com\n"
        "Piet Smit,,,beta,,\n",
    )

    with tenant(owner.organization.pk):
        jane, piet = Person.objects.order_by("name").select_related("company", "owner")
    assert (jane.email, jane.title, jane.company, jane.phone, jane.owner) == (
        "jane@acme.example", "CFO", acme, "+44 1", owner.user,
    )  # fmt: skip
    assert (piet.company, piet.email, piet.owner) == (beta, "", None)


def test_a_person_is_known_by_mail_then_by_name_and_company(owner):
    with tenant(owner.organization.pk):
        acme = make_company(owner, "Acme")
        make_contact(owner, acme, "Jane Doe", email="jane@acme.example")
        make_contact(owner, acme, "Piet Smit")

    result = bring_in(
        owner,
        "people",
        "name,email,company,title\nJane Roe,jane@acme.example,Acme,CFO\nPiet Smit,,acme.example,CEO\n",
    )

    with tenant(owner.organization.pk):
        people = list(Person.objects.order_by("name").values_list("name", "email", "title"))
    assert (result.created, result.updated) == (0, 2)
    assert people == [("Jane Roe", "jane@acme.example", "CFO"), ("Piet Smit", "", "CEO")]


def test_a_person_at_a_company_that_is_not_known_or_not_clear_is_refused(owner, stranger):
    with tenant(owner.organization.pk):
        make_company(owner, "Twin", domain="one.example")
        make_company(owner, "Twin", domain="two.example")
    with tenant(stranger.organization.pk):
        make_company(stranger, "Theirs")

    problems = refused(owner, "people", "name,email,company\nA,a@x.example,Twin\nB,wrong,\nC,,theirs.example\n")

    hint = "Import companies first, and name them by domain."
    assert problems == [
        (2, "Company", f"Several companies are called “Twin”. {hint}"),
        (3, "E-mail", "“wrong” is not an e-mail address."),
        (4, "Company", f"There is no “theirs.example” among the companies. {hint}"),
    ]


# --- deals -------------------------------------------------------------------------------------


def test_deals_are_imported_and_known_by_company_and_name(owner):
    with tenant(owner.organization.pk):
        acme = make_company(owner, "Acme")
        jane = make_contact(owner, acme, email="jane@acme.example")
        make_deal(owner, acme, "Second", amount=5)

    result = bring_in(
        owner,
        "deals",
        "Deal name,Company,Stage,Value,Currency,Close date,Contact\n"
        'First,acme.example,Proposal,"1,234.50",€,2026-05-31,jane@acme.example\n'
        "second,Acme,Won,5,EUR,31.05.2026,\n",
    )

    with tenant(owner.organization.pk):
        first, second = Deal.objects.order_by("name").select_related("person")
        assert (result.created, result.updated) == (1, 1)
        assert (first.stage, first.amount, first.currency, first.close_date, first.person) == (
            "proposal", Decimal("1234.50"), "EUR", datetime.date(2026, 5, 31), jane,
        )  # fmt: skip
        assert (second.stage, second.close_date) == ("won", datetime.date(2026, 5, 31))
        changed = FieldChange.objects.order_by("id").values_list("field", "old", "new")
        assert list(changed) == [
            ("name", "Second", "second"),
            ("stage", "Qualification", "Won"),
            ("close_date", "", "2026-05-31"),
        ]


@pytest.mark.parametrize(
    ("cell", "amount"),
    [
        ("1234", "1234"), ("1,234", "1234"), ("1.234", "1234"), ("1,234.5", "1234.5"), ("1.234,50", "1234.50"),
        ("12,5", "12.5"), ("1 234 567", "1234567"), ("1'000.00", "1000"), ("0", "0"),
    ],
)  # fmt: skip
def test_an_amount_is_read_in_either_notation(owner, cell, amount):
    with tenant(owner.organization.pk):
        make_company(owner, "Acme")

    bring_in(owner, "deals", f'name;company;amount\nDeal;Acme;"{cell}"\n')

    with tenant(owner.organization.pk):
        assert Deal.objects.get().amount == Decimal(amount)


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        ("Amount", "12,34,5", "“12,34,5” is not an amount, for example 12500 or 12,500.00."),
        ("Amount", "-5", "“-5” is not an amount, for example 12500 or 12,500.00."),
        ("Amount", "1" * 13, "is too large."),
        ("Currency", "Euros", "“Euros” is not a currency code of three letters, for example EUR."),
        ("Close date", "05/06/2026", "“05/06/2026” is not a date. Write it as 2026-01-31."),
        ("Close date", "2026-02-30", "“2026-02-30” is not a date. Write it as 2026-01-31."),
        ("Contact e-mail", "x@y.example", "There is no “x@y.example” among the people. "
         "Import people first, and name them by e-mail."),
    ],
)  # fmt: skip
def test_a_cell_of_a_deal_that_cannot_be_read_is_refused(owner, column, cell, said):
    with tenant(owner.organization.pk):
        make_company(owner, "Acme")

    assert refused(owner, "deals", f'Name;Company;{column}\nDeal;Acme;"{cell}"\n') == [(2, column, said)]


def test_empty_cells_beyond_the_header_are_no_problem(owner):
    bring_in(owner, "companies", "name,domain\nAcme,acme.example,, \n")

    assert companies(owner) == [("Acme", "acme.example", "lead")]


# --- page and command --------------------------------------------------------------------------


def test_ten_thousand_rows_are_imported_and_updated_with_few_statements(owner, django_assert_max_num_queries):
    def file(industry):
        rows = (f"Company {number},c{number}.example,{industry},olivia" for number in range(IMPORT_MAX_ROWS))
        return "\n".join(["name,domain,industry,owner", *rows])

    with django_assert_max_num_queries(60):
        created = bring_in(owner, "companies", file("Payments"))
    with django_assert_max_num_queries(60):
        updated = bring_in(owner, "companies", file("Banking"))

    assert (created.created, updated.updated) == (IMPORT_MAX_ROWS, IMPORT_MAX_ROWS)
    with tenant(owner.organization.pk):
        assert FieldChange.objects.filter(old="Payments", new="Banking").count() == IMPORT_MAX_ROWS
