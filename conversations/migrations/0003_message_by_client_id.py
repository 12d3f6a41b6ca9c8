from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("conversations", "0002_message_for_chat"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="message",
            index=models.Index(
                condition=models.Q(("client_message_id", ""), _negated=True),
                fields=["organization", "client_message_id"],
                name="message_by_client_id",
            ),
        ),
    ]
