"""What reading a question again finds and lets through: ``python -m bench.rewording``.

The questions about the product as they are and with one slip of the pen each, and requests of everyday life, all
against ``docs/product``: how many find something, with the second reading and without it.
"""

import argparse
import random
from collections.abc import Sequence
from unittest.mock import patch

from agencycore.tenancy import tenant
from bench.judged import database, index, off_topic, read_product
from knowledge import search
from organizations.models import Organization

OFF_TOPIC = 400
SHORTEST = 5


def with_slip(question: str, chance: random.Random) -> str:
    """One word of ``question`` with a letter lost, doubled, or swapped with the next."""
    words = question.split()
    places = [place for place, word in enumerate(words) if len(word) >= SHORTEST and word.isalpha()]
    if places:
        place = chance.choice(places)
        word = words[place]
        at = chance.randrange(1, len(word) - 1)
        slips = (
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        )
        words[place] = chance.choice(slips)
    return " ".join(words)


def found(organization: Organization, questions: Sequence[str]) -> str:
    with tenant(organization.id):
        hits = [bool(search.search(actor_organization_id=organization.id, query=text).hits) for text in questions]
    return f"{sum(hits):4} of {len(hits)}"


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    with database():
        passages, questions = read_product()
        organization, _ = index("product", passages)
        chance = random.Random(3)  # noqa: S311 - repeatable, not secret
        sets = {
            "as written": list(questions),
            "with one slip": [with_slip(question, chance) for question in questions],
            "off the topic": list(off_topic(OFF_TOPIC)),
        }
        for name, asked in sets.items():
            with patch.object(search, "reworded", return_value=None):
                once = found(organization, asked)
            print(f"{name:14} found as typed {once}   read again {found(organization, asked)}")


if __name__ == "__main__":
    main()
