"""People at companies."""

from django.db import models
from django.db.models import Q

from crm.models.companies import Company
from crm.models.records import OwnedRecord


class Person(OwnedRecord):
    company = models.ForeignKey(Company, on_delete=models.CASCADE, null=True, blank=True, related_name="people")
    name = models.CharField(max_length=200)
    title = models.CharField(max_length=120, blank=True)
    email = models.CharField(max_length=254, blank=True, help_text="In lower case.")
    phone = models.CharField(max_length=40, blank=True)

    class Meta(OwnedRecord.Meta):
        verbose_name_plural = "people"
        constraints = [
            models.UniqueConstraint(fields=["organization", "email"], condition=~Q(email=""), name="person_email_once"),
            models.CheckConstraint(condition=~Q(name=""), name="person_has_name"),
        ]
        indexes = [
            # The people list, by name.
            models.Index(fields=["organization", "name", "id"], name="person_list"),
            # The people of a company, on its page.
            models.Index(fields=["company", "name"], name="person_of_company"),
        ]

    def __str__(self) -> str:
        return self.name
