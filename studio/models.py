"""The people: accounts, their role in a workspace, how they join, and what they ask the Ask bar for."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models

from flows.ordered import OrderedJSON
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

    identities: models.Manager[Identity]

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


class ApiToken(Scoped):
    """What a program shows to use agents of this workspace. Only the hash of the token is kept."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=80)
    token_sha = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=12, help_text="How the token begins, by which people tell tokens apart.")
    every_agent = models.BooleanField(default=True, help_text="Later ones too; else only those that it names.")
    agents = models.ManyToManyField("runtime.Deployment", blank=True, related_name="+")
    approves = models.BooleanField(default=False, help_text="May say yes to what its own runs ask for.")
    made_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    made_by_id: uuid.UUID | None
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)


class Look(Scoped):
    """Somebody looked into the run of somebody else. It outlives the run."""

    by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    by_id: uuid.UUID | None
    run = models.UUIDField()
    of = models.CharField(max_length=200, help_text="The agent, as it was called then.")
    at = models.DateTimeField(auto_now_add=True)

    class Meta(Scoped.Meta):
        indexes = [models.Index(fields=["workspace", "-at"], name="look_at")]


class SignInTry(models.Model):
    """How often somebody tried to sign in, by hashed address and account, within the current window."""

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField(default=1)
    since = models.DateTimeField()


class Presence(models.Model):
    """When the person of a session last gave a sign of life. Only the hash of the session's key is kept."""

    session = models.CharField(max_length=64, primary_key=True)
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    user_id: uuid.UUID
    at = models.DateTimeField(db_index=True)


class Identity(models.Model):
    """Whom a provider means by one of its people: bound at their first sign-in through it, and for good."""

    user = models.ForeignKey(User, models.CASCADE, related_name="identities")
    user_id: uuid.UUID
    issuer = models.CharField(max_length=255)
    sub = models.CharField(max_length=255, help_text="The provider's own and lasting name of the person.")
    email = models.EmailField(help_text="The address by which they were known then; it decides nothing later.")
    made_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["issuer", "sub"], name="identity"),
            models.UniqueConstraint(fields=["user", "issuer"], name="one_identity_at_a_provider"),
        ]


class Ask(Scoped):
    """What somebody asked for in a flow's Ask bar, and what came of it. Worked on by a worker; changes no draft itself.

    The row is the truth: who works on it (owner, lease), how far it is (steps), and what it proposes (operations).
    """

    STATES = [
        ("working", "a worker has it, or will"),
        ("proposed", "operations wait for a yes"),
        ("answered", "answered in words; nothing is proposed"),
        ("stopped", "ended by the person"),
        ("failed", "ended by a fault, said in words"),
        ("accepted", "the operations are in the draft"),
        ("dropped", "the operations were turned down"),
    ]

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    flow = models.ForeignKey("flows.Flow", models.CASCADE, related_name="asks")
    flow_id: uuid.UUID
    by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    by_id: uuid.UUID | None
    text = models.TextField()
    selection: models.JSONField[Any] = models.JSONField(default=list, help_text="Ids of selected nodes.")
    state = models.CharField(max_length=10, choices=STATES, default="working")
    rev = models.PositiveIntegerField(default=1, help_text="Counts what pages can see; a poke names it.")
    base_revision = models.PositiveIntegerField(help_text="The draft's revision that the operations begin from.")
    base = models.TextField(blank=True, help_text="The draft at that revision, while the ask is worked on.")
    base_layout: models.JSONField[Any] = OrderedJSON(default=dict)
    continues = models.ForeignKey("self", models.SET_NULL, null=True, related_name="+", help_text="An open proposal.")
    continues_id: uuid.UUID | None
    operations: models.JSONField[Any] = OrderedJSON(default=list, help_text="What was applied, in order.")
    lines: models.JSONField[Any] = OrderedJSON(default=list, help_text="What the operations change, as lines.")
    steps: models.JSONField[Any] = OrderedJSON(default=list, help_text="[{tool, words, ok}]")
    refused: models.JSONField[Any] = OrderedJSON(default=list, help_text="[{tool, code, message}]")
    reply = models.TextField(blank=True, help_text="The model's own words.")
    claims = models.BooleanField(default=False, help_text="The words speak of edits that were not made.")
    error: models.JSONField[Any] = OrderedJSON(null=True, help_text="{code, message}")
    model = models.CharField(max_length=200, blank=True)
    demo = models.BooleanField(default=False)
    input_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    cost = models.DecimalField(max_digits=14, decimal_places=8, null=True, help_text="USD; null without prices.")
    accepted_revision = models.PositiveIntegerField(null=True)
    owner = models.CharField(max_length=64, blank=True, help_text="The worker that has it, else empty.")
    lease_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta(Scoped.Meta):
        indexes = [
            models.Index(fields=["flow", "-created_at"], name="ask_flow"),
            models.Index(fields=["state", "lease_until"], name="ask_due"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["flow", "by"], condition=models.Q(state="working"), name="one_ask_at_a_time"
            )
        ]


class LatestTests(Scoped):
    """The tests of a flow's draft as they were run last, or are being run. Only the latest of a flow is kept.

    The row is the truth: which worker has it (owner, lease) and what came out so far. One that is gone is stopped.
    """

    STATES = [("working", "a worker has it, or will"), ("done", "ran to the end"), ("failed", "could not be run")]

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    flow = models.OneToOneField("flows.Flow", models.CASCADE, related_name="tests")
    flow_id: uuid.UUID
    by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    by_id: uuid.UUID | None
    state = models.CharField(max_length=7, choices=STATES, default="working")
    paths: models.JSONField[Any] = models.JSONField(default=list, help_text="The files to run, from the flow's folder.")
    names: models.JSONField[Any] = models.JSONField(default=list, help_text="Only the tests of these names; none: all.")
    revision = models.PositiveIntegerField(help_text="The draft's that is tested.")
    total = models.PositiveIntegerField(default=0, help_text="How many tests there are to run.")
    results: models.JSONField[Any] = OrderedJSON(default=list, help_text="One for each test that ran.")
    message = models.TextField(blank=True, help_text="Why they could not be run.")
    ms = models.FloatField(default=0)
    attempts = models.PositiveIntegerField(default=0, help_text="How many workers began it.")
    owner = models.CharField(max_length=64, blank=True, help_text="The worker that has it, else empty.")
    lease_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta(Scoped.Meta):
        indexes = [models.Index(fields=["state", "lease_until"], name="tests_due")]


class Parcel(Scoped):
    """What somebody sent to be imported, until they decide what becomes of it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=200, blank=True)
    files: models.JSONField[Any] = OrderedJSON(default=dict, help_text="Path → text.")
    left: models.JSONField[Any] = OrderedJSON(default=list, help_text="[path, why it is not taken], each.")
    by = models.ForeignKey(User, models.CASCADE, related_name="+")
    by_id: uuid.UUID
    at = models.DateTimeField(auto_now_add=True)
