"""A citation makes no claim of work true by standing beside it; what its text tells may be told."""

import pytest

from chat.frontdoor.validation.claims import Evidence, claims_work
from tests.chat.frontdoor.briefs import answer_wire, brief, company, passage
from tests.chat.frontdoor.test_answers import valid_answer

COMPANY = Evidence(
    "Acme (company)\nOwner: Mia Berg\nLifecycle stage: Customer. Reason: They signed. (2026-03-03)\nOpen deals: 2\n"
    "Last contact: Call with Sofia Byrne: “Discovery call” (2026-05-04)"
)
RUN = Evidence("Signals Search\nState: succeeded\nResult: 12 prospects created, 3 skipped", "runs")
LIVE_RUN = Evidence("Signals Search\nState: running\nGoal: find fintech companies", "runs")
DEAL = Evidence("Acme: Pilot (deal)\nStage: Won (2026-05-02)\nCreated: 3 May 2025 by Mia Berg\nOwner: Mia Berg")
PERSON = Evidence("Sofia Byrne (contact)\nE-mail: verified on 2 May\nEarlier change: Assigned to Mia Berg")
PRODUCT = Evidence(
    "A run is started from chat or by a schedule. A contact is created when a prospect is promoted. Once the run has "
    "been started, its steps appear. You can update a deal and send an e-mail from the record's page.",
    "knowledge",
)
MINUTES = Evidence("Minutes. The contract was sent to Sofia on Friday. We updated the price list.", "knowledge")

LIES = """
The run has been started. a Mia Berg owns it.
The run has been started.a Mia Berg owns it.
Contact created.
Run cancelled.
E-mail sent to Sofia Byrne.
- New deal created for Acme
[4] Contact created.
1. Contact (2) created.
Contact Jane Doe created successfully.
Task completed, Mia Berg owns it.
Mia Berg owns it, contact created.
Mia Berg owns it and the run was stopped.
Mia Berg owns it; the e-mail was sent.
Your request has been completed; Mia Berg owns it.
The run has been started and Mia Berg owns it.
Mia Berg owns Acme, and the workflow has now been scheduled.
Mia Berg owns Acme – your workflow is scheduled.
Mia Berg owns it, so the e-mail has been sent to Mia Berg.
The contact's been created.
The run has started and Mia Berg owns it.
The run started successfully.
The workflow created the contact.
AgencyCore sent the e-mail to Mia Berg.
Started the run for Mia Berg.
Successfully created the contact.
I looked at Acme and created a deal.
Sure, done!
It was created just now.
Done - Mia Berg owns it.
The run got stopped.
The run is being started.
I created the contact, would you like to see Mia Berg?
If you want to know, Mia Berg owns it, and the run has been started.
The run has been started, if Mia Berg owns it.
The contact has been created without errors.
You can see that Mia Berg owns it, and the run was started.
“The run has been started.”
No problem, the run has been started.
""".strip().splitlines()

TOLD = [
    ("The deal was created on 3 May.", DEAL),
    ("It was created on 3 May 2025, and Mia Berg owns it.", DEAL),
    ("Deal created on 3 May 2025.", DEAL),
    ("The deal was won in May.", DEAL),
    ("The contact was verified.", PERSON),
    ("The contact was assigned to Mia Berg.", PERSON),
    ("The run has finished.", RUN),
    ("The run was completed and 12 prospects were created.", RUN),
    ("The run created 12 prospects.", RUN),
    ("Prospects created: 12.", RUN),
    ("The run has been started.", LIVE_RUN),
    ("The run is now running.", LIVE_RUN),
    ("The contract was sent to Sofia on Friday.", MINUTES),
    ("We updated the price list.", MINUTES),
    ("A run is started from chat or by a schedule.", PRODUCT),
    ("Once the run has been started, its steps appear.", PRODUCT),
    (
        "**E-mail**: an e-mail sent or received.",
        Evidence("Kinds: **E-mail**: an e-mail sent or received.", "knowledge"),
    ),
    ("Mia Berg owns it; its stage is Customer, and it has 2 open deals.", COMPANY),
]

HARMLESS = """
A run is started from chat, by a schedule or by another run.
Deals are created on the Deals page.
A contact is created, updated and deleted on its page.
Runs started by a schedule appear in the same list.
A run started from chat belongs to the conversation.
The contact created in May is Jane Doe.
Documents uploaded by members are searchable.
If the run was stopped and its steps were removed, nothing remains.
No contact, deal or e-mail was created.
No run was started.
Nothing was created, and no e-mail was sent.
The deal was won in May.
The company was founded in 2019, and Mia Berg owns it.
Whether the e-mail was sent is not recorded.
Was the run started?
Create the contact on the People page, and set the stage.
An activity exists because a member logged it.
The prospect’s review state becomes Promoted.
The report of a run
A source whose document was deleted no longer shows its text.
The states are queued, running, completed and failed.
Mia Berg and Acme Inc. agree.
""".strip().splitlines()


@pytest.mark.parametrize("sentence", LIES)
def test_a_claim_of_work_stays_false_beside_a_citation(sentence):
    assert claims_work(sentence)
    assert claims_work(sentence, [COMPANY])
    assert claims_work(sentence, [COMPANY, PRODUCT])


@pytest.mark.parametrize(("sentence", "evidence"), TOLD)
def test_what_the_cited_text_tells_may_be_told(sentence, evidence):
    assert not claims_work(sentence, [evidence])
    assert not claims_work(sentence, [COMPANY, evidence])


@pytest.mark.parametrize("sentence", HARMLESS)
def test_what_is_no_claim_needs_no_evidence(sentence):
    assert not claims_work(sentence)


@pytest.mark.parametrize("sentence", ["The run has been started.", "The contact has been created.", "Contact created."])
def test_how_the_product_works_is_no_evidence_that_it_worked(sentence):
    assert claims_work(sentence, [PRODUCT])


def test_a_run_that_says_otherwise_is_no_evidence():
    assert claims_work("The run was cancelled.", [RUN])
    assert claims_work("12 e-mails have been sent.", [RUN])


def test_what_stands_beside_a_claim_is_kept_where_it_is_a_sentence_of_its_own():
    on = brief(company(), passage(), message="Who owns it?")

    result = valid_answer(answer_wire("The run has been started. a Mia Berg owns it [r1].", "r1"), on)

    assert result.decision.text == "a Mia Berg owns it [1]."
