"""Importing by the page and by the command."""

from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from crm.importing import IMPORTERS
from tests.crm.importing import companies

pytestmark = pytest.mark.django_db

HEADER = "Name,Domain,Industry,Country,Size,Lifecycle stage,Owner"
ONE = f"{HEADER}\nAcme,acme.example,Payments,Ireland,51-200,Prospect,olivia\n"


def upload(member, kind, text):
    file = SimpleUploadedFile("list.csv", text.encode())
    return member.client.post(reverse("crm_import"), {"kind": kind, "file": file}, follow=True)


def test_the_page_imports_and_shows_the_list(owner):
    response = upload(owner, "companies", ONE)

    page = response.content.decode()
    assert response.request["PATH_INFO"] == reverse("company_list")
    assert "1 created, 0 updated, 0 unchanged." in page
    assert "acme.example" in page


def test_the_page_shows_what_is_wrong_where_and_imports_nothing(owner):
    response = upload(owner, "companies", f"{HEADER}\nGood,good.example,,,,,\nBad,,,,,King,\n")

    page = response.content.decode()
    assert response.status_code == 422
    assert "Nothing was imported: 1 problem in the file." in page
    assert '<td class="numeric">3</td><td>Lifecycle stage</td>' in page
    assert companies(owner) == []


@pytest.mark.parametrize("data", [{"kind": "companies"}, {"kind": "kings"}])
def test_the_page_asks_for_what_is_missing(owner, data):
    response = owner.client.post(reverse("crm_import"), data)

    assert (response.status_code, companies(owner)) == (422, [])


def test_the_page_names_the_columns_of_every_kind(owner):
    page = owner.client.get(reverse("crm_import")).content.decode()

    titles = {column.title for importer in IMPORTERS.values() for column in importer.columns}
    assert {title for title in titles if title not in page} == set()


def chosen_kind(response):
    return response.context["form"]["kind"].value()


@pytest.mark.parametrize(
    ("name", "kind"), [("company_list", "companies"), ("person_list", "people"), ("deal_list", "deals")]
)
def test_the_page_opened_from_a_list_chooses_its_kind(owner, name, kind):
    page = owner.client.get(reverse(name)).content.decode()
    address = f"{reverse('crm_import')}?kind={kind}"

    assert page.count(f'href="{address}"') == 2  # above the list and in the empty list
    response = owner.client.get(address)
    assert chosen_kind(response) == kind
    assert f'<option value="{kind}" selected>' in response.content.decode()


@pytest.mark.parametrize("query", ["", "?kind=kings"])
def test_the_page_opened_from_elsewhere_chooses_no_kind(owner, query):
    assert chosen_kind(owner.client.get(reverse("crm_import") + query)) is None


def test_the_page_wants_a_kind_to_be_chosen(owner):
    response = upload(owner, "", ONE)

    assert (response.status_code, companies(owner)) == (422, [])


def run_import(tmp_path, text, user="olivia", org="acorn"):
    file = tmp_path / "list.csv"
    file.write_text(text)
    out = StringIO()
    call_command("import_crm", "companies", str(file), "--org", org, "--user", user, stdout=out)
    return out.getvalue()


def test_the_command_imports(owner, tmp_path):
    assert run_import(tmp_path, ONE) == "1 created, 0 updated, 0 unchanged.\n"
    assert companies(owner) == [("Acme", "acme.example", "prospect")]


def test_the_command_names_the_rows_that_are_wrong_and_fails(owner, tmp_path):
    with pytest.raises(CommandError) as error:
        run_import(tmp_path, f"{HEADER}\nGood,,,,,,\n,,x,,,,\nBad,?,,,,,\nWorse,,,,,King,\n")

    assert str(error.value).splitlines()[:3] == [
        "Nothing was imported: 3 problems in the file.",
        "Row 3, column “Name”: is empty.",
        "Row 4, column “Domain”: “?” is not a web domain, for example acme.com.",
    ]
    assert companies(owner) == []


def test_the_command_refuses_a_member_of_another_organization(owner, stranger, tmp_path):
    with pytest.raises(CommandError, match="“sam” is not a member of the organization “acorn”"):
        run_import(tmp_path, ONE, user="sam")

    assert companies(owner) == []


def test_the_command_says_when_the_file_cannot_be_read(owner, tmp_path):
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_crm", "companies", str(tmp_path / "none.csv"), "--org", "acorn", "--user", "olivia")
