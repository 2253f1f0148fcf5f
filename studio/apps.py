from django.apps import AppConfig


class StudioConfig(AppConfig):
    name = "studio"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from runtime import errands
        from studio import presence

        presence.connect()

        errands.register("ask", "studio.ask.errand")
        errands.register("notices", "runtime.notices.errand")
        errands.register("files", "runtime.files.errand")
        errands.register("retention", "runtime.rounds")
        errands.register("servers", "runtime.looking")
        errands.register("tests", "studio.testing.errand")
        errands.register("traces", "runtime.tracing.errand")
