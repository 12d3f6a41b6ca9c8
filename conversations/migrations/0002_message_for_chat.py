from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="message",
            name="for_chat",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Sent to chat by choice, where a run waits for an answer."
            ),
        ),
    ]
