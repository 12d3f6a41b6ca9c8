"""The most tokens that a reply may have: the cap an adapter sends, and what is reserved for it before the call."""

# Reasoning counts as output too; a lower cap cuts decisions of models that think first.
DECISION_OUTPUT_TOKENS = 8_000
REASONING_TOKENS = 2_000


def prose_output_tokens(max_tokens: int) -> int:
    """The cap of a summary or a report whose text is asked for in at most ``max_tokens``."""
    return max_tokens + REASONING_TOKENS
