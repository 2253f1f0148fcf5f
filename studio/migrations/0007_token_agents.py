from django.db import migrations, models


def keep_narrow(apps, schema_editor):
    """A token that named agents goes on with those alone."""
    apps.get_model("studio", "ApiToken").everywhere.filter(agents__isnull=False).update(every_agent=False)


class Migration(migrations.Migration):
    dependencies = [
        ("runtime", "0003_long_addresses"),
        ("studio", "0006_latest_tests"),
    ]

    operations = [
        migrations.AddField(
            model_name="apitoken",
            name="every_agent",
            field=models.BooleanField(default=True, help_text="Later ones too; else only those that it names."),
        ),
        migrations.AlterField(
            model_name="apitoken",
            name="agents",
            field=models.ManyToManyField(blank=True, related_name="+", to="runtime.deployment"),
        ),
        migrations.RunPython(keep_narrow, migrations.RunPython.noop),
    ]
