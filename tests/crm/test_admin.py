"""The records as staff see them: their organization's only, to read."""

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agencycore.tenancy import tenant
from crm.models import IdealCustomerProfile
from tests.crm.records import (
    make_activity,
    make_change,
    make_company,
    make_contact,
    make_deal,
    make_evidence,
    make_icp,
    make_opportunity,
    make_prospect,
    make_prospect_evidence,
    make_signal,
)

pytestmark = pytest.mark.django_db

PAGES = ["company", "person", "prospect", "deal", "opportunity", "activity", "fieldchange", "signal"]


def fill(member, number):
    """One record for each page, all of them named alike."""
    name = f"Lumenpay {number}"
    with tenant(member.organization.pk):
        company = make_company(member, name, owner=member.user)
        prospect = make_prospect(member, f"Lumenpay{number}", reviewed_by=member.user)
        make_prospect_evidence(member, prospect, "Raised money", 20)
        opportunity = make_opportunity(member, company, name, owner=member.user)
        make_evidence(member, opportunity, "Hires sellers", 30)
        person = make_contact(member, company, name, owner=member.user)
        return {
            "company": company,
            "person": person,
            "prospect": prospect,
            "deal": make_deal(member, company, name, owner=member.user),
            "opportunity": opportunity,
            "activity": make_activity(member, company, name, person=person, by=member.user),
            "fieldchange": make_change(member, company, new=name, changed_by=member.user),
            "signal": make_signal(member, company, name),
        }


@pytest.mark.parametrize("page", PAGES)
def test_staff_read_their_organizations_records_and_strangers_do_not(admin, stranger, page):
    record = fill(admin, 1)[page]

    listed = admin.client.get(f"/admin/crm/{page}/")
    opened = admin.client.get(f"/admin/crm/{page}/{record.pk}/change/")
    foreign = stranger.client.get(f"/admin/crm/{page}/")
    foreign_opened = stranger.client.get(f"/admin/crm/{page}/{record.pk}/change/")

    assert (listed.status_code, opened.status_code) == (200, 200)
    assert str(record.pk) in listed.content.decode()
    assert str(record.pk) not in foreign.content.decode()
    assert foreign_opened.status_code == 302


@pytest.mark.parametrize("page", PAGES)
def test_a_record_cannot_be_changed_added_or_removed_in_the_admin(admin, page):
    admin.user.user_permissions.set(Permission.objects.filter(content_type__app_label="crm"))
    record = fill(admin, 1)[page]

    answers = [
        admin.client.post(f"/admin/crm/{page}/add/").status_code,
        admin.client.post(f"/admin/crm/{page}/{record.pk}/change/", {"name": "x"}).status_code,
        admin.client.post(f"/admin/crm/{page}/{record.pk}/delete/", {"post": "yes"}).status_code,
    ]

    assert answers == [403, 403, 403]


@pytest.mark.parametrize("page", PAGES)
def test_a_list_in_the_admin_needs_the_same_statements_for_one_record_and_for_twelve(admin, page):
    counts = []
    for numbers in (range(1), range(1, 12)):
        for number in numbers:
            fill(admin, number)
        with CaptureQueriesContext(connection) as statements:
            assert admin.client.get(f"/admin/crm/{page}/").status_code == 200
        counts.append(len(statements))

    assert counts[0] == counts[1]


@pytest.mark.parametrize("page", [*PAGES, "idealcustomerprofile"])
def test_a_member_who_is_no_staff_reads_none(owner, page):
    assert owner.client.get(f"/admin/crm/{page}/").status_code == 302


def test_staff_with_the_right_write_icps_for_the_organization_they_are_in(admin, stranger):
    admin.user.user_permissions.set(Permission.objects.filter(codename__endswith="idealcustomerprofile"))

    admin.client.post("/admin/crm/idealcustomerprofile/add/", {"name": "Scale-ups", "criteria": "B2B."})

    with tenant(admin.organization.pk):
        assert list(IdealCustomerProfile.objects.values_list("name", "organization")) == [
            ("Scale-ups", admin.organization.pk)
        ]


def test_a_stranger_finds_no_icp(admin, stranger):
    with tenant(admin.organization.pk):
        make_icp(admin, "Scale-ups")

    assert "Scale-ups" not in stranger.client.get("/admin/crm/idealcustomerprofile/").content.decode()
