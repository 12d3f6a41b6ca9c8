"""Conversations for tests: what was said, sent, cited and asked back, written straight to the tables."""

from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone

from agencycore.ai.types import ContextBrief
from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from chat.context.brief_json import brief_as_json
from chat.context.builder import build_context
from chat.frontdoor.decision import Option
from chat.models import Turn
from conversations.models import Citation, Conversation, Message
from crm.models import Company
from tests.people import Person


class Talk:
    def __init__(self, person: Person):
        self.person = person
        with tenant(person.organization.id):
            self.conversation = Conversation.objects.create(organization=person.organization, starter=person.user)

    def say(self, text: str, refs: Sequence[ResourceRef] = (), page: ResourceRef | None = None) -> Turn:
        with tenant(self.person.organization.id):
            message = self._add(
                role="user",
                kind="message",
                text=text,
                refs=[ref.as_json() for ref in refs],
                page=page.as_json() if page else None,
            )
            return Turn.objects.create(
                organization=self.person.organization,
                conversation=self.conversation,
                message=message,
                deadline_at=timezone.now() + timedelta(seconds=60),
            )

    def reply(
        self,
        turn: Turn,
        text: str,
        cites: Sequence[ResourceRef] = (),
        options: Sequence[Option] = (),
        outcome: str = "answer",
        brief: ContextBrief | None = None,
        offer: dict[str, str] | None = None,
    ) -> Message:
        with tenant(self.person.organization.id):
            message = self._add(
                role="assistant",
                kind="reply",
                text=text,
                in_reply_to=turn.message,
                options=[
                    {"label": option.label, "ref": f"{option.ref.kind}:{option.ref.id}" if option.ref else ""}
                    for option in options
                ],
            )
            self.cite(message, cites)
            turn.reply, turn.outcome, turn.state, turn.offer = message, outcome, Turn.State.ANSWERED, offer
            turn.brief = brief_as_json(brief) if brief else None
            if brief:
                turn.message.preamble = brief.preamble
                turn.message.save(update_fields=["preamble"])
            turn.save(update_fields=["reply", "outcome", "state", "offer", "brief"])
            return message

    def exchange(self, text: str, answer: str = "Fine.", cites: Sequence[ResourceRef] = ()) -> Message:
        return self.reply(self.say(text), answer, cites)

    def cite(self, message: Message, cites: Sequence[ResourceRef]) -> None:
        Citation.objects.bulk_create(
            Citation(
                organization=self.person.organization,
                message=message,
                marker=number,
                key=f"r{number}",
                kind=ref.kind,
                resource_id=ref.id,
                label=ref.label,
                excerpt="…",
            )
            for number, ref in enumerate(cites, start=1)
        )

    def brief(self, turn: Turn, **limits: float) -> ContextBrief:
        with tenant(self.person.organization.id):
            fresh = Turn.objects.select_related("message", "conversation", "organization").get(id=turn.id)
        return build_context(turn=fresh, actor=self.person.actor, **limits)

    def ask(self, text: str, refs: Sequence[ResourceRef] = (), page: ResourceRef | None = None) -> ContextBrief:
        return self.brief(self.say(text, refs, page))

    def _add(self, **fields: object) -> Message:
        self.conversation.message_count += 1
        self.conversation.save(update_fields=["message_count"])
        return Message.objects.create(
            organization=self.person.organization,
            conversation=self.conversation,
            ordinal=self.conversation.message_count,
            **fields,
        )


def company(person: Person, name: str, **fields: object) -> ResourceRef:
    with tenant(person.organization.id):
        row = Company.objects.create(organization=person.organization, name=name, **fields)
    return ResourceRef("company", str(row.id), name)
