from django.apps import AppConfig


class AgencycoreConfig(AppConfig):
    name = "agencycore"
    verbose_name = "AgencyCore"
