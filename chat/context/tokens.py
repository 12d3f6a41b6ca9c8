"""What text costs, and how it is shortened."""

BYTES_PER_TOKEN = 4
CUT_MARK = "\n[… cut …]\n"
# Of a text cut in the middle, the beginning says more than the end.
HEAD_SHARE = 2 / 3
CONTROL_CHARACTERS = dict.fromkeys([*range(0x20), 0x7F]) | {ord("\n"): "\n", ord("\t"): "\t"}


def count_tokens(text: str) -> int:
    """Tokens by the rule of thumb that holds for every vendor: UTF-8 bytes / 4, rounded up."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def cut_middle(text: str, tokens: int) -> str:
    """``text`` in at most ``tokens``: its beginning and its end, with a mark where something is missing."""
    raw = text.encode()
    limit = tokens * BYTES_PER_TOKEN
    if len(raw) <= limit:
        return text
    room = limit - len(CUT_MARK.encode())
    if room <= 0:
        return _whole_characters(raw[: max(limit, 0)])
    head = int(room * HEAD_SHARE)
    tail = room - head
    return _whole_characters(raw[:head]) + CUT_MARK + _whole_characters(raw[len(raw) - tail :])


def clean_text(text: str) -> str:
    """``text`` as it can be stored and sent: no control characters but newline and tab, no lone surrogates."""
    return text.translate(CONTROL_CHARACTERS).encode("utf-8", "ignore").decode()


def one_line(text: str, length: int) -> str:
    """``text`` on one line of at most ``length`` characters, safe to stand inside a sentence of ours."""
    line = " ".join(clean_text(text).split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def _whole_characters(raw: bytes) -> str:
    return raw.decode("utf-8", "ignore")
