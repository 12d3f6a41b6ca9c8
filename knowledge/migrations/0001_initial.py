import django.db.models.deletion
import django.utils.timezone
import pgvector.django.halfvec
import pgvector.django.sparsevec
from django.conf import settings
from django.db import migrations, models

import agencycore.identifiers
import knowledge.models
from agencycore.tenancy import shared_policy, tenant_policy


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("organizations", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        # Not VectorExtension: going back would drop what only a superuser can create again.
        migrations.RunSQL("CREATE EXTENSION IF NOT EXISTS vector", migrations.RunSQL.noop),
        migrations.CreateModel(
            name="KnowledgeChunk",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=agencycore.identifiers.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("generation", models.PositiveIntegerField()),
                ("ordinal", models.PositiveIntegerField(help_text="1, 2, 3 … in the source.")),
                ("position", models.CharField(blank=True, help_text="Heading path, page or sheet.", max_length=300)),
                ("text", models.TextField()),
                ("tokens", models.PositiveIntegerField()),
                ("content_hash", models.CharField(help_text="SHA-256 of the text.", max_length=64)),
                ("language", models.CharField(max_length=20)),
                (
                    "organization",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="organizations.organization",
                    ),
                ),
            ],
            options={
                "ordering": ["source", "ordinal"],
            },
        ),
        migrations.CreateModel(
            name="ChunkIndex",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "chunk_id", "embedder", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("embedder", models.CharField(max_length=60)),
                ("embedding", pgvector.django.halfvec.HalfVectorField(dimensions=256)),
                ("lexical", pgvector.django.sparsevec.SparseVectorField(dimensions=536870912)),
                (
                    "organization",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.CASCADE, to="organizations.organization"
                    ),
                ),
                (
                    "chunk",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="knowledge.knowledgechunk"
                    ),
                ),
            ],
            options={
                "db_table": "chunk_index",
            },
        ),
        migrations.CreateModel(
            name="KnowledgeSource",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=agencycore.identifiers.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "corpus",
                    models.SlugField(
                        default="general", help_text="Groups sources for retrieval scopes.", max_length=60
                    ),
                ),
                ("title", models.CharField(max_length=300)),
                ("filename", models.CharField(blank=True, max_length=255)),
                (
                    "kind",
                    models.CharField(
                        blank=True, help_text="By content, not by name: html, markdown, text, …", max_length=20
                    ),
                ),
                (
                    "path",
                    models.CharField(
                        blank=True, help_text="A platform document's path in the repository.", max_length=300
                    ),
                ),
                (
                    "url",
                    models.CharField(
                        blank=True, help_text="Where the document lives outside, if it does.", max_length=300
                    ),
                ),
                ("content_hash", models.CharField(help_text="SHA-256 of the original bytes.", max_length=64)),
                (
                    "language",
                    models.CharField(blank=True, help_text="Decides stemming; simple: unknown.", max_length=20),
                ),
                ("size", models.PositiveBigIntegerField(help_text="Bytes.")),
                ("file", models.FileField(blank=True, max_length=300, upload_to=knowledge.models.upload_path)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("uploaded", "Waiting"),
                            ("processing", "Processing"),
                            ("ready", "Ready"),
                            ("failed", "Failed"),
                            ("deleting", "Deleting"),
                        ],
                        default="uploaded",
                        max_length=12,
                    ),
                ),
                (
                    "stage",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("extracting", "Reading the file"),
                            ("chunking", "Dividing into passages"),
                            ("embedding", "Preparing for search"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "done_steps",
                    models.PositiveIntegerField(default=0, help_text="Of total_steps, in the present stage."),
                ),
                ("total_steps", models.PositiveIntegerField(default=0)),
                ("failure_code", models.CharField(blank=True, max_length=40)),
                ("failure_reason", models.CharField(blank=True, help_text="In a member's words.", max_length=300)),
                (
                    "generation",
                    models.PositiveIntegerField(default=0, help_text="Which ingestion the chunks come from; 0: none."),
                ),
                (
                    "indexed_as",
                    models.CharField(blank=True, help_text="Index version and embedder of its rows.", max_length=80),
                ),
                ("chunk_count", models.PositiveIntegerField(default=0)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("state_changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "organization",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty: the platform's, for everyone.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="organizations.organization",
                    ),
                ),
                (
                    "uploaded_by",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="knowledgechunk",
            name="source",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="chunks", to="knowledge.knowledgesource"
            ),
        ),
        migrations.CreateModel(
            name="TermStats",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("term", models.IntegerField()),
                ("df", models.IntegerField()),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="organizations.organization",
                    ),
                ),
            ],
            options={
                "db_table": "term_stats",
            },
        ),
        migrations.CreateModel(
            name="DeletionReceipt",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=agencycore.identifiers.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("source_id", models.UUIDField()),
                ("title", models.CharField(max_length=300)),
                ("content_hash", models.CharField(max_length=64)),
                ("chunks_removed", models.PositiveIntegerField()),
                ("index_rows_removed", models.PositiveIntegerField()),
                ("rows_remaining", models.PositiveIntegerField(help_text="Counted after the removal; 0 is the proof.")),
                ("redactions", models.JSONField(default=dict, help_text="What other rooms removed, counted.")),
                ("file_removed", models.BooleanField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "deleted_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="organizations.organization"),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["organization", "-created_at"], name="receipt_list")],
            },
        ),
        migrations.AddIndex(
            model_name="knowledgesource",
            index=models.Index(fields=["organization", "-created_at"], name="source_list"),
        ),
        migrations.AddConstraint(
            model_name="knowledgesource",
            constraint=models.UniqueConstraint(
                condition=models.Q(("organization__isnull", False), models.Q(("state", "deleting"), _negated=True)),
                fields=("organization", "content_hash"),
                name="source_once_per_file",
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgesource",
            constraint=models.UniqueConstraint(
                condition=models.Q(("organization__isnull", True)),
                fields=("path",),
                name="source_once_per_platform_path",
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgesource",
            constraint=models.CheckConstraint(
                condition=models.Q(("state", "failed"), ("failure_code", ""), _connector="XOR"),
                name="source_failed_has_code",
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgechunk",
            constraint=models.UniqueConstraint(fields=("source", "ordinal"), name="chunk_ordinal_once"),
        ),
        migrations.AddConstraint(
            model_name="termstats",
            constraint=models.UniqueConstraint(
                fields=("organization", "term"), name="term_stats_once", nulls_distinct=False
            ),
        ),
        # Out-of-line storage would cost the scan two to three times its time; a row fits a page (knowledge.terms).
        migrations.RunSQL(
            "ALTER TABLE chunk_index ALTER COLUMN embedding SET STORAGE PLAIN, ALTER COLUMN lexical SET STORAGE PLAIN",
            migrations.RunSQL.noop,
        ),
        shared_policy("knowledge_knowledgesource"),
        shared_policy("knowledge_knowledgechunk"),
        shared_policy("chunk_index"),
        shared_policy("term_stats"),
        tenant_policy("knowledge_deletionreceipt"),
    ]
