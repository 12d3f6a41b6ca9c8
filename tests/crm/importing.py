"""Bringing a list in, as a member."""

import pytest

from agencycore.tenancy import tenant
from crm.importing import ImportRefused, import_records
from crm.models import Company

pytestmark = pytest.mark.django_db

HEADER = "Name,Domain,Industry,Country,Size,Lifecycle stage,Owner"
ONE = f"{HEADER}\nAcme,acme.example,Payments,Ireland,51-200,Prospect,olivia\n"


def bring_in(member, kind, text, file_name="list.csv"):
    data = text if isinstance(text, bytes) else text.encode()
    with tenant(member.organization.pk):
        return import_records(actor=member.actor, kind=kind, file_name=file_name, data=data)


def refused(member, kind, text):
    with pytest.raises(ImportRefused) as refusal:
        bring_in(member, kind, text)
    return [(problem.row, problem.column, problem.problem) for problem in refusal.value.problems]


def companies(member):
    with tenant(member.organization.pk):
        return list(Company.objects.order_by("name").values_list("name", "domain", "lifecycle_stage"))


# --- companies ---------------------------------------------------------------------------------
