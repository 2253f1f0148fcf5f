"""Lets somebody sign in through the provider by their address once more, as one whom it does not know yet."""

from __future__ import annotations

from typing import Any

from django.core.management import CommandError
from django.core.management.base import BaseCommand, CommandParser

from studio.models import Identity, User


class Command(BaseCommand):
    help = "Forget by which identity of a provider a person signs in; the next one with their address is theirs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the address of the account")

    def handle(self, *args: Any, email: str, **options: Any) -> None:
        user = User.objects.filter(email=email.strip().lower()).first()
        if user is None:
            raise CommandError(f"Nobody here has the address {email}.")
        gone, _ = Identity.objects.filter(user=user).delete()
        if not gone:
            raise CommandError(f"{user.email} has not signed in through a provider. Nothing was changed.")
        self.stdout.write(f"Forgotten. Whoever the provider knows as {user.email} signs in as {user.name} next.")
