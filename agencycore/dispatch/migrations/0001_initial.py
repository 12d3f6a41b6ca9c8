from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Dispatch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(help_text="Which work: turn, ingestion, run.", max_length=32)),
                ("object_id", models.UUIDField(help_text="The turn, knowledge source or run.")),
                ("organization_id", models.UUIDField()),
                (
                    "sequence_key",
                    models.UUIDField(
                        help_text="Work of one key is done in order of this table's id, one at a time.", null=True
                    ),
                ),
                ("due_at", models.DateTimeField()),
                ("queued_at", models.DateTimeField(auto_now_add=True)),
                (
                    "deadline_at",
                    models.DateTimeField(help_text="Past this moment the work is given up, leased or not.", null=True),
                ),
                ("lease_until", models.DateTimeField(null=True)),
                (
                    "fence",
                    models.UUIDField(
                        help_text="Made anew by each claim; a write with an old one is refused.", null=True
                    ),
                ),
                ("owner", models.CharField(blank=True, help_text="The process that holds the lease.", max_length=80)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["due_at", "lease_until"], name="dispatch_due"),
                    models.Index(fields=["sequence_key", "id"], name="dispatch_sequence"),
                ],
                "constraints": [models.UniqueConstraint(fields=("kind", "object_id"), name="dispatch_once_per_object")],
            },
        ),
    ]
