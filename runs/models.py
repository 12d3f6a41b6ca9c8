"""Agents and workflows, their published versions, and the runs that do their work."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from agencycore.identifiers import new_id
from agencycore.refs import ResourceRef
from agencycore.tenancy import Actor
from organizations.models import Organization


class DefinitionQuerySet(models.QuerySet["Definition"]):
    def visible_to(self, actor: Actor) -> "DefinitionQuerySet":
        """The platform's definitions and those of the actor's organization."""
        return self.filter(Q(organization_id=actor.organization_id) | Q(organization__isnull=True))


class Definition(models.Model):
    """One agent or workflow under its stable name; what it does is in its versions."""

    class Kind(models.TextChoices):
        AGENT = "agent", "Agent"
        WORKFLOW = "workflow", "Workflow"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(
        Organization, on_delete=models.CASCADE, null=True, blank=True, help_text="Empty: the platform's, for everyone."
    )
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=120)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    description = models.TextField(help_text="What it does and for which requests, in product words.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = DefinitionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "slug"], name="definition_slug_once", nulls_distinct=False),
        ]

    def __str__(self) -> str:
        return self.name


class DefinitionVersion(models.Model):
    """An immutable state of a definition. A change is a new draft; publishing is a person's click."""

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        PUBLISHED = "published", "Published"
        RETIRED = "retired", "Retired"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, null=True, blank=True)
    definition = models.ForeignKey(Definition, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    spec = models.JSONField(
        help_text="{input_schema, steps: [{name, tool, approval}], tools: [name], writes: [kind], memory, admins_only}"
    )
    validation_errors = models.JSONField(default=list, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["definition", "number"], name="definition_version_number_once"),
            models.UniqueConstraint(
                fields=["definition"], condition=Q(state="published"), name="definition_one_published"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.definition} v{self.number}"


class RunQuerySet(models.QuerySet["Run"]):
    def visible_to(self, actor: Actor) -> "RunQuerySet":
        """Runs are seen, answered and cancelled by their starter and by admins."""
        runs = self.filter(organization_id=actor.organization_id)
        return runs if actor.is_admin else runs.filter(starter_id=actor.user_id)

    def live(self) -> "RunQuerySet":
        return self.filter(state__in=Run.LIVE)


class Run(models.Model):
    """One piece of work of one published version, for one goal."""

    class State(models.TextChoices):
        QUEUED = "queued", "Queued"
        RUNNING = "running", "Running"
        WAITING = "waiting", "Waiting"
        SUCCEEDED = "succeeded", "Succeeded"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Stopped"

    class WaitingFor(models.TextChoices):
        CUSTOMER_ASK = "customer_ask", "Your answer"
        APPROVAL = "approval", "An approval"
        CHILD = "child", "Another run"

    LIVE = (State.QUEUED, State.RUNNING, State.WAITING)

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE)
    version = models.ForeignKey(DefinitionVersion, on_delete=models.PROTECT)
    starter = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    start_key = models.CharField(
        max_length=120, unique=True, help_text="Who asked for it: turn:<id> or schedule:<id>:<due>. Opaque here."
    )
    conversation_id = models.UUIDField(null=True, blank=True, help_text="Where its events and report are shown.")
    goal = models.JSONField(help_text="{message, …input}: immutable, with the message verbatim.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    waiting_for = models.CharField(max_length=14, choices=WaitingFor.choices, blank=True)
    question = models.TextField(blank=True, help_text="What it asks the person, while it waits for an answer.")
    step = models.CharField(max_length=120, blank=True, help_text="The step it is in, by name.")
    answers = models.JSONField(default=list, blank=True, help_text="[{question, text, message}] given so far.")
    result = models.JSONField(null=True, blank=True)
    result_refs = models.JSONField(default=list, blank=True, help_text="[{kind, id, label}] in the order of the steps.")
    failure_code = models.CharField(max_length=40, blank=True)
    failure_text = models.CharField(max_length=500, blank=True, help_text="In product words, never an internal error.")
    cancelled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state="waiting", waiting_for__gt="") | (~Q(state="waiting") & Q(waiting_for="")),
                name="run_waiting_says_for_what",
            ),
        ]
        indexes = [
            # A conversation's runs, newest first.
            models.Index(fields=["conversation_id", "-created_at"], name="run_of_conversation"),
            # A person's own recent and live runs.
            models.Index(fields=["organization", "starter", "-created_at"], name="run_of_starter"),
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.id}"

    @property
    def is_live(self) -> bool:
        return self.state in self.LIVE

    @property
    def inputs(self) -> dict[str, object]:
        """The goal's values beside the message and the records."""
        return {name: value for name, value in self.goal.items() if name not in ("message", "refs")}

    @property
    def asked_about(self) -> list[ResourceRef]:
        """The records it was started with, without labels."""
        return [ResourceRef(stored["kind"], stored["id"]) for stored in self.goal.get("refs", [])]

    @property
    def results(self) -> list[ResourceRef]:
        """The records it ended with, in the order of the steps; without labels, which are the readers' to tell."""
        return [ResourceRef(stored["kind"], stored["id"]) for stored in self.result_refs]
