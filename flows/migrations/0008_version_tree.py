from django.db import migrations

import flows.ordered


class Migration(migrations.Migration):
    dependencies = [("flows", "0007_flow_files")]

    operations = [
        migrations.AddField(
            model_name="flowversion",
            name="tree",
            field=flows.ordered.OrderedJSON(
                blank=True,
                default=dict,
                help_text='What it runs: {"top": file, "flows": {file: {"document", "units"}}, "agents": {…}}; or {}.',
            ),
        ),
    ]
