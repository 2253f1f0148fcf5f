import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('studio', '0007_token_agents'),
    ]

    operations = [
        migrations.CreateModel(
            name='Presence',
            fields=[
                ('session', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('at', models.DateTimeField(db_index=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
    ]
