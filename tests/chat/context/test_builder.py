import pytest

from tests.chat.context.talk import Talk, company
from tests.people import Person

pytestmark = pytest.mark.django_db


def test_a_sent_record_is_resolved_and_its_fields_are_evidence_with_a_key(owner: Person) -> None:
    acorn = company(owner, "Acorn Foods", industry="Food", lifecycle_stage="customer")

    brief = Talk(owner).ask("What industry is this company in?", refs=[acorn])

    item = brief.evidence[0]
    assert (brief.reference.status, brief.reference.refs) == ("resolved", (acorn,))
    assert (item.source, item.kind, item.id, item.key, item.pinned) == ("application", "company", acorn.id, "r1", True)
    assert "Industry: Food" in item.text
