from django.apps import AppConfig, apps
from django.core.checks import Tags, register
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate, pre_migrate

from agencycore.checks import check_runtime_role, require_bound_role
from agencycore.grants import grant_to_runtime_role, make_runtime_role


class AgencycoreConfig(AppConfig):
    name = "agencycore"
    verbose_name = "AgencyCore"

    def ready(self) -> None:
        register(check_runtime_role, Tags.database)
        connection_created.connect(require_bound_role, dispatch_uid="runtime_role")
        # Sent once per app with models; one of them stands for all.
        one_app = apps.get_app_config("dispatch")
        pre_migrate.connect(make_runtime_role, sender=one_app, dispatch_uid="runtime_role")
        post_migrate.connect(grant_to_runtime_role, sender=one_app, dispatch_uid="runtime_role")
