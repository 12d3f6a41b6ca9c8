"""Words and statements without the ids in them, so that two of them can be compared."""

import re

UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
TOKEN = re.compile(r"\b[A-Za-z0-9]{64}\b")
TEXT = re.compile(r"'(?:[^']|'')*'")
PATTERN = re.compile(r"LIKE UPPER\('%(?:[^']|'')*%'\)")
NUMBER = re.compile(r"\d+")


def without_ids(text: str, *names: str) -> str:
    """``text`` without whatever looks like an id or a number, and without ``names`` that do not."""
    text = UUID.sub("ID", text.replace("_2D", "-"))  # as the admin writes it in addresses
    for each in names:
        text = text if UUID.search(each) or each.isdigit() else text.replace(each, "ID")
    return NUMBER.sub("0", TOKEN.sub("TOKEN", text))


def shape_of_sql(sql: str) -> str:
    return NUMBER.sub("0", TEXT.sub("?", UUID.sub("ID", sql)))


def compared(sql: str) -> str:
    """The part of ``sql`` in which rows are looked up: what is only written, or searched for as words, names none."""
    is_written = sql.startswith(("INSERT", "UPDATE"))
    return PATTERN.sub("", sql.partition(" WHERE ")[2] if is_written else sql)
