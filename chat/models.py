"""A turn: one user message on its way to exactly one outcome."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from agencycore.identifiers import new_id
from agencycore.tenancy import Actor
from conversations.models import Conversation, Message
from organizations.models import Organization


class TurnQuerySet(models.QuerySet["Turn"]):
    def visible_to(self, actor: Actor) -> "TurnQuerySet":
        return self.filter(organization_id=actor.organization_id, conversation__starter_id=actor.user_id)

    def open(self) -> "TurnQuerySet":
        return self.exclude(state__in=Turn.TERMINAL)


class Turn(models.Model):
    """The audit record of how a message was answered: what the model saw, said, and cost."""

    class State(models.TextChoices):
        ACCEPTED = "accepted", "Accepted"
        THINKING = "thinking", "Thinking"
        CHECKING_CONTEXT = "checking_context", "Checking what I know"
        FINDING_CAPABILITY = "finding_capability", "Working out how to help"
        PREPARING_TASK = "preparing_task", "Preparing the task"
        # Reserved for the draft turn of a form chat; declared and never emitted.
        SEARCHING_WEB = "searching_web", "Searching the web"
        OPENING_PAGE = "opening_page", "Opening a page"
        READING_PAGE = "reading_page", "Reading a page"
        SEARCHING_CRM = "searching_crm", "Searching the CRM"
        ANSWERED = "answered", "Answered"
        CLARIFIED = "clarified", "Asked back"
        DELEGATED = "delegated", "Delegated"
        CONTROLLED = "controlled", "Run stopped"
        REPLIED = "replied", "Passed to the run"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Stopped"

    TERMINAL = (
        State.ANSWERED,
        State.CLARIFIED,
        State.DELEGATED,
        State.CONTROLLED,
        State.REPLIED,
        State.FAILED,
        State.CANCELLED,
    )

    class Fallback(models.TextChoices):
        VENDOR = "vendor", "The model could not be reached"
        INVALID = "invalid", "The model's decision was invalid twice"
        LIMIT = "limit", "A daily limit was reached"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="turns")
    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="turns")
    attempt = models.PositiveSmallIntegerField(default=1, help_text="1 for the first, more after Retry.")
    state = models.CharField(max_length=20, choices=State.choices, default=State.ACCEPTED)
    outcome = models.CharField(max_length=12, blank=True, help_text="answer, clarify, delegate or control_run.")
    reply = models.OneToOneField(Message, on_delete=models.SET_NULL, null=True, blank=True, related_name="written_by")
    run_id = models.UUIDField(null=True, blank=True)

    brief = models.JSONField(null=True, blank=True, help_text="What the model saw, item by item.")
    prompt = models.JSONField(null=True, blank=True, help_text="The rendered prompt below its fixed prefix.")
    prompt_version = models.CharField(max_length=20, blank=True)
    decision = models.JSONField(null=True, blank=True, help_text="The checkpoint: validated, not yet acted on.")
    rejected_refs = models.JSONField(default=list, blank=True, help_text="Keys the model cited and the brief lacks.")
    refusals = models.JSONField(default=list, blank=True, help_text="Why replies of the model were refused.")
    edits = models.JSONField(default=list, blank=True, help_text="What was taken out of the reply that stands.")
    offer = models.JSONField(null=True, blank=True, help_text="Work that was offered in one sentence.")
    provider = models.CharField(max_length=40, blank=True)
    model = models.CharField(max_length=120, blank=True)
    fallback = models.CharField(max_length=10, choices=Fallback.choices, blank=True)
    token_breakdown = models.JSONField(default=dict, blank=True, help_text="Tokens per source.")
    timings = models.JSONField(default=dict, blank=True, help_text="Milliseconds per stage.")
    error_code = models.CharField(max_length=40, blank=True)
    error_text = models.CharField(max_length=300, blank=True, help_text="In product words.")

    created_at = models.DateTimeField(auto_now_add=True)
    claimed_at = models.DateTimeField(null=True, blank=True)
    deadline_at = models.DateTimeField(help_text="Past this moment an unfinished turn reads as failed.")
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = TurnQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["message"], condition=~Q(state="failed"), name="turn_one_live_per_message"),
            models.UniqueConstraint(fields=["message", "attempt"], name="turn_attempt_once"),
        ]
        indexes = [
            # A conversation's turns, for the page and for the turn before this one.
            models.Index(fields=["conversation", "-created_at"], name="turn_of_conversation"),
            # The operator's view of outcomes and latency over time.
            models.Index(fields=["organization", "-created_at"], name="turn_by_day"),
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.id}"

    @property
    def is_finished(self) -> bool:
        return self.state in self.TERMINAL

    @property
    def shown_state(self) -> str:
        """The state a person sees: past its deadline a turn has failed, also if no worker lives."""
        if not self.is_finished and self.deadline_at <= timezone.now():
            return str(self.State.FAILED)
        return self.state


class KnowledgeGap(Message):
    """A reply that names what no source covered."""

    class Meta:
        proxy = True
        verbose_name = "knowledge gap"
