"""Prints where to sign in; on an empty installation, a one-time address that makes the first account."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from flows.models import Workspace
from studio.accounts import make_invite
from studio.models import Invite, User
from studio.strings import t


class Command(BaseCommand):
    help = "Print the address of the first sign-in. It works once; asking again ends the one before."

    def handle(self, *args: Any, **options: Any) -> None:
        if User.objects.exists():
            self.stdout.write(f"{settings.PUBLIC_URL}/sign-in")
            return
        workspace = Workspace.objects.order_by("created_at").first()
        if workspace is None:
            workspace = Workspace.objects.create(name=t("join.first_workspace"))
        Invite.everywhere.filter(workspace=workspace, used_at=None, made_by=None).update(revoked_at=timezone.now())
        token = make_invite(workspace, "owner", by=None)
        self.stdout.write(f"{settings.PUBLIC_URL}/start/{token}")
