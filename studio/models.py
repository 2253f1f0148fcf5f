"""The people: accounts, their role in a workspace, and how they join."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models

from flows.scope import Scoped

ROLES = [
    ("owner", "Owner"),
    ("operator", "Operator"),
    ("builder", "Builder"),
    ("reviewer", "Reviewer"),
    ("member", "Member"),
]


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields) -> User:
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=(username or "").lower())


class User(AbstractBaseUser):
    """A person, known by an e-mail address; the same person in every workspace."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[UserManager] = UserManager()  # pyright: ignore[reportIncompatibleVariableOverride]

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS = ["name"]

    def __str__(self) -> str:
        return self.name or self.email


class Membership(Scoped):
    """A person's role in a workspace."""

    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    user_id: uuid.UUID
    role = models.CharField(max_length=8, choices=ROLES)
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["workspace", "user"], name="membership")]


class Invite(Scoped):
    """A link by which somebody joins with a role. Only the hash of its token is kept."""

    token_sha = models.CharField(max_length=64, unique=True)
    role = models.CharField(max_length=8, choices=ROLES)
    email = models.EmailField(blank=True, help_text="When given, only this address may use it.")
    made_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    made_by_id: uuid.UUID | None
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    used_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    used_by_id: uuid.UUID | None
    revoked_at = models.DateTimeField(null=True)


class SignInTry(models.Model):
    """How often somebody tried to sign in, by hashed address and account, within the current window."""

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField(default=1)
    since = models.DateTimeField()
