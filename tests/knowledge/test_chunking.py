"""Passages along the structure of a document."""

from hypothesis import given
from hypothesis import strategies as st

from knowledge.chunking import MAXIMUM_TOKENS, TARGET_TOKENS, Passage, count_tokens, cut_passages
from knowledge.extraction.document import Block, Code, ExtractedDocument, Heading, ListBlock, Paragraph, Table

SENTENCE = "Every traveller keeps the receipt of every ticket until the end of the year. "


def cut(*blocks: Block, title: str = "Guide") -> list[Passage]:
    return cut_passages(ExtractedDocument("", "", blocks), title)


def test_a_passage_ends_at_a_heading_and_carries_its_path() -> None:
    passages = cut(
        Heading(1, "Travel"),
        Paragraph("Intro."),
        Heading(2, "Rail"),
        Paragraph("By train."),
        Paragraph("Second class."),
        Heading(2, "Air"),
        Paragraph("By plane."),
    )

    assert [(passage.text, passage.position, passage.context) for passage in passages] == [
        ("Intro.", "Travel", "Guide › Travel"),
        ("By train.\n\nSecond class.", "Travel › Rail", "Guide › Travel › Rail"),
        ("By plane.", "Travel › Air", "Guide › Travel › Air"),
    ]


def test_a_title_that_is_the_first_heading_is_not_repeated() -> None:
    assert cut(Heading(1, "Guide"), Heading(2, "Rail"), Paragraph("Text."))[0].context == "Guide › Rail"


def test_a_heading_with_nothing_under_it_can_be_found() -> None:
    assert [passage.text for passage in cut(Heading(1, "One"), Heading(1, "Two"), Paragraph("Text."))] == [
        "One",
        "Text.",
    ]
    assert [passage.text for passage in cut(Heading(1, "Alone"))] == ["Alone"]


def test_long_text_is_divided_at_sentences_near_the_target() -> None:
    passages = cut(Paragraph(SENTENCE * 60))

    assert [passage.tokens for passage in passages] == [327, 327, 327, 173]
    assert all(passage.text.endswith("year.") for passage in passages)


def test_a_table_stays_whole_where_it_fits() -> None:
    table = Table(("City", "Limit"), tuple((f"City {n}", str(n)) for n in range(60)))

    passages = cut(Paragraph(SENTENCE * 12), table)

    assert len(passages) == 2
    assert passages[1].text.startswith("| City | Limit |\n| --- | --- |\n| City 0 | 0 |")
    assert TARGET_TOKENS // 2 < passages[1].tokens <= MAXIMUM_TOKENS


def test_every_part_of_a_long_table_repeats_the_header() -> None:
    table = Table(("City", "Limit"), tuple((f"City number {n}", str(n)) for n in range(300)))

    passages = cut(table)

    assert len(passages) == 6
    assert all(passage.text.startswith("| City | Limit |\n| --- | --- |\n| City number") for passage in passages)


def test_a_list_is_divided_between_items() -> None:
    items = tuple(f"- {SENTENCE.strip()} {n}" for n in range(50))

    passages = cut(ListBlock(items))

    assert "\n".join(passage.text for passage in passages).split("\n") == list(items)


def test_code_is_fenced_and_divided_between_lines() -> None:
    passages = cut(Code("\n".join(f"value_{n} = compute({n})" for n in range(200))))

    assert all(passage.text.startswith("```\nvalue_") and passage.text.endswith(")\n```") for passage in passages)


def test_every_entry_of_a_glossary_is_a_passage_of_its_own() -> None:
    items = tuple(f"- Term {n}: what term {n} means" for n in range(8))

    passages = cut(Heading(1, "Glossary"), ListBlock(items), title="Glossary")

    assert [passage.text for passage in passages] == list(items)
    assert passages[3].position == "Glossary › Term 3"


def test_a_position_of_the_file_stands_for_the_heading_path() -> None:
    passages = cut(Heading(1, "A", "page 1"), Paragraph("One.", "page 1"), Paragraph("Two.", "page 2"))

    assert [(passage.text, passage.position) for passage in passages] == [("One.", "page 1"), ("Two.", "page 2")]


words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=3000)
blocks = st.lists(
    st.one_of(
        words.map(Paragraph),
        words.map(Code),
        st.builds(Heading, st.integers(1, 6), words),
        st.lists(words, min_size=1, max_size=20).map(lambda items: ListBlock(tuple(items))),
        st.lists(st.tuples(words, words), min_size=1, max_size=10).map(lambda rows: Table(("H", "I"), tuple(rows))),
    ),
    max_size=12,
)


@given(blocks)
def test_no_passage_exceeds_the_maximum_and_no_word_is_lost(made: list[Block]) -> None:
    passages = cut(*made)

    assert all(0 < passage.tokens == count_tokens(passage.text) <= MAXIMUM_TOKENS for passage in passages)
    kept = "".join("".join(passage.text for passage in passages).split())
    for block in made:
        if isinstance(block, Paragraph):
            assert "".join(block.text.split())[:40] in kept or len(block.text) > 200
