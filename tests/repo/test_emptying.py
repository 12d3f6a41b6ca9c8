"""What a test has committed is gone for the next one."""

import pytest
from django.apps import apps

from agencycore.tenancy import tenant
from crm.models import Company
from tests.emptying import KEPT, empty_tables
from tests.people import Person


@pytest.mark.django_db(transaction=True)
def test_nothing_is_left_of_any_organization(owner: Person, stranger: Person):
    for person in (owner, stranger):
        with tenant(person.organization.id):
            Company.objects.create(organization=person.organization, name="Larch & Sons", domain="larch.example")

    empty_tables()

    left = {model._meta.db_table for model in apps.get_models() if model._base_manager.using("owner").exists()}
    assert left == KEPT
