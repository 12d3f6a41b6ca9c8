from importlib import import_module

from django.apps import AppConfig


class OrganizationsConfig(AppConfig):
    name = "organizations"
    verbose_name = "Organizations"

    def ready(self) -> None:
        import_module("organizations.signals")
