from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("studio", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="SignInTry",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("count", models.PositiveIntegerField(default=1)),
                ("since", models.DateTimeField()),
            ],
        ),
    ]
