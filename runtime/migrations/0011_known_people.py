from django.db import migrations, models


def follow_versions(apps, schema_editor):
    """What each live version says is kept from now on beside it."""
    Deployment = apps.get_model("runtime", "Deployment")
    for deployment in list(Deployment._base_manager.exclude(version=None).select_related("version")):
        version = deployment.version
        inner = (version.tree or {}).get("flows", {}).values()
        documents = [version.document, *(each["document"] for each in inner)]
        if any((each.get("requires") or {}).get("users") not in (None, False) for each in documents):
            Deployment._base_manager.filter(pk=deployment.pk).update(known_people=True)


class Migration(migrations.Migration):

    dependencies = [
        ('runtime', '0010_tries_for_a_month'),
    ]

    operations = [
        migrations.AddField(
            model_name='deployment',
            name='known_people',
            field=models.BooleanField(default=False, help_text='Answers only people whom it can name, as its version says; follows the version.'),
        ),
        migrations.RunPython(follow_versions, migrations.RunPython.noop),
    ]
