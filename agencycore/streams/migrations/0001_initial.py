import django.db.models.deletion
from django.db import migrations, models

from agencycore.tenancy import tenant_policy


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Stream",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80, unique=True)),
                ("organization_id", models.UUIDField()),
                (
                    "last_number",
                    models.BigIntegerField(default=0, help_text="The newest event's number; taken under the row lock."),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("organization_id", models.UUIDField()),
                ("number", models.BigIntegerField()),
                ("type", models.CharField(max_length=40)),
                ("payload", models.JSONField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "stream",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="events", to="streams.stream"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("stream", "number"), name="event_number_once_per_stream")
                ],
            },
        ),
        tenant_policy("streams_stream"),
        tenant_policy("streams_event"),
    ]
