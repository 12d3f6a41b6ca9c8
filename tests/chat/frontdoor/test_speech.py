"""The product's own sentences name what they are given and nothing else."""

from chat.frontdoor import speech
from chat.frontdoor.validation.claims import claims_work


def test_a_handoff_names_the_capability_and_the_records():
    assert speech.handoff("Signals Search") == (
        "I handed this to Signals Search. Its progress and its report appear here."
    )
    assert speech.handoff("Signals Search", refs=["Lumen Works", "Harbor Labs"]) == (
        "I handed this to Signals Search for Lumen Works and Harbor Labs. Its progress and its report appear here."
    )


def test_stopping_names_the_step_that_may_be_done():
    assert speech.run_stopped("Signals Search") == "I stopped Signals Search."
    goal = "Find ![x](http://x/?q=1) fintechs in <b>Norway</b>."
    assert speech.run_stopped("Signals Search", goal=goal) == "I stopped Signals Search (“Find x fintechs in Norway”)."
    assert speech.run_stopped("Signals Search", step="Promote prospects") == (
        "I stopped Signals Search. The step “Promote prospects” had begun and may be done."
    )
    assert speech.run_had_ended("Signals Search", "succeeded") == (
        "Signals Search had already ended: succeeded. Nothing was stopped."
    )


def test_only_the_product_itself_may_say_that_work_was_handed_over():
    assert claims_work(speech.handoff("Signals Search"))
    assert claims_work(speech.run_stopped("Signals Search"))


def test_gaps_name_the_source_in_product_words():
    assert speech.not_checked("runs") == "Recent runs could not be checked just now"
    assert speech.could_not_check(["application", "runs", "knowledge"]) == (
        "I could not check the records, recent runs and the documents just now."
    )
    assert speech.not_answered("x" * 500) == f"No answer could be made to “{'x' * 119}…”"
