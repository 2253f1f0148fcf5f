import uuid

import django.db.models.deletion
import django.db.models.manager
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('flows', '0008_version_tree'),
        ('runtime', '0004_notices_and_retention'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='StoredFile',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('visitor', models.CharField(blank=True, max_length=64)),
                ('given', models.BooleanField(default=True, help_text='A person gave it; otherwise a step made it.')),
                ('name', models.CharField(max_length=200)),
                ('media_type', models.CharField(max_length=100)),
                ('bytes', models.PositiveBigIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('place', models.CharField(help_text='Its name in the storage; equal files of a workspace share one.', max_length=100)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('conversation', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='files', to='runtime.conversation')),
                ('deployment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='files', to='runtime.deployment')),
                ('run', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='files', to='runtime.run')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='flows.workspace')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'everywhere',
                'default_manager_name': 'objects',
                'indexes': [models.Index(fields=['workspace', 'sha256'], name='file_content'), models.Index(fields=['workspace', 'user', 'created_at'], name='file_of_person'), models.Index(fields=['deployment', 'visitor', 'created_at'], name='file_of_visitor'), models.Index(fields=['conversation', 'created_at'], name='file_of_conversation'), models.Index(fields=['place'], name='file_place')],
            },
            managers=[
                ('everywhere', django.db.models.manager.Manager()),
                ('objects', django.db.models.manager.Manager()),
            ],
        ),
    ]
