from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dispatch", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="dispatch",
            name="attempts",
            field=models.PositiveSmallIntegerField(default=0, help_text="How often it was claimed."),
        ),
        migrations.AddField(
            model_name="dispatch",
            name="faults",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, help_text="How many attempts ended in an error; the others lost their worker."
            ),
        ),
    ]
