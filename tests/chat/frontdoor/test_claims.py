"""Which sentences claim work, and which merely tell, offer, ask or decline."""

import pytest

from chat.frontdoor.validation.claims import Evidence, claims_work

CLAIMS = """
I created the contact for you.
I've created a new deal.
I’ve added the note to Lumen Works.
I have just sent the e-mail to Mia.
I also updated the stage.
Sure, I already scheduled the workflow for Monday.
I've gone ahead and I started the search.
We have launched the run.
I cancelled the run.
I stopped it.
I'm searching the web for companies now.
I am now running Signals Search.
I'm creating the agent.
I'll create the contact.
I will start the search right away.
I'm going to email them.
I will get back to you with the results.
I'll remember that.
I've saved your preference.
I saved that to memory.
Done! The contact exists.
Done.
All set.
All done – enjoy.
It's done.
On it!
The contact has been created.
Your e-mail has just been sent.
The workflow has been successfully scheduled.
The run was successfully cancelled.
Your workflow is ready.
The search is now running.
The agent is currently being created.
Ich habe den Kontakt angelegt.
Ich habe die E-Mail an Mia gesendet.
J'ai créé le contact.
J’ai bien envoyé le message.
He creado el contacto.
Ho creato il contatto.
Eu criei o contato.
Ik heb het contact aangemaakt.
""".strip().splitlines()

HARMLESS = """
I can create a contact if you start the right agent.
I can't create contacts from chat.
I cannot send e-mail.
I have not created anything.
I did not start a run.
I haven't sent anything.
I could start Signals Search for this.
Shall I start Signals Search?
Would you like me to create a workflow?
If you want, I'll start the search.
Do you want me to email them?
I found two documents about refunds.
I looked at the records in this chat.
I could not check recent runs.
The owner is Mia Berg.
A deal is created when a prospect is promoted.
Approved prospects are added to the CRM.
Once the run has been approved, it continues.
The prospect has not been reviewed yet.
If a source has been deleted, its citation becomes a tombstone.
Nothing has been sent.
You can stop a run with the Stop button.
To schedule a workflow, open the catalogue.
Who created this deal?
Has the e-mail been sent?
A workflow may be scheduled.
The stage before was Prospect.
Creating a workflow takes a few minutes.
Hello! How can I help?
Why can't I create a workflow?
Can I set an alert?
You're welcome.
Ich habe keinen Kontakt angelegt.
Ich kann den Kontakt nicht anlegen.
Je ne peux pas créer de contact.
""".strip().splitlines()


@pytest.mark.parametrize("sentence", CLAIMS)
def test_a_claim_of_work_is_seen(sentence):
    assert claims_work(sentence)


@pytest.mark.parametrize("sentence", HARMLESS)
def test_what_claims_nothing_stays(sentence):
    assert not claims_work(sentence)


@pytest.mark.parametrize(
    ("sentence", "evidence"),
    [
        ("The run has been cancelled.", "Signals Search. State: cancelled"),
        ("The deal has been moved to Proposal.", "Stage of the deal changed from Discovery to Proposal"),
        ("The search is now running.", "Signals Search, state running"),
        ("12 prospects were successfully created by the run.", "Result: 12 prospects created"),
        ("Mia wrote “I sent the proposal” in her note.", "Note by Mia: I sent the proposal"),
        ("We'll notify you within 10 days.", "Refunds. We'll notify you within 10 days of our findings."),
    ],
)
def test_what_the_evidence_tells_may_be_told(sentence, evidence):
    assert not claims_work(sentence, [Evidence(evidence)])


@pytest.mark.parametrize(
    ("sentence", "evidence"),
    [
        ("The contact Jane Doe has been created.", "A lifecycle stage says how far a company is."),
        ("I created the contact.", "The contact was created by Mia."),
        ("Your export is ready.", "Owner: Mia Berg"),
        ("We'll notify Mia tomorrow.", "Owner: Mia Berg"),
        ("I created the contact for you.", "I created the contact for you."),
    ],
)
def test_a_citation_beside_the_point_does_not_make_a_claim_true(sentence, evidence):
    assert claims_work(sentence, [Evidence(evidence)])


def test_quotation_marks_alone_hide_nothing():
    assert claims_work("“I created the contact.”")
