"""What a model's server may do to us, each by name: for the adapter, and for a whole turn."""

from agencycore.ai.wire import WireAnswer, render_decision
from tests.agencycore.ai.scripted_server import VendorReply

GOOD_DECISION = render_decision(
    WireAnswer(
        outcome="answer",
        citations=[],
        unresolved=["No document covers the weather in Oslo."],
        offer="",
        text="I cannot tell the weather in Oslo from here. Nothing in this organization’s documents covers it.",
    )
)

SCENARIOS: dict[str, VendorReply] = {
    "good_decision": VendorReply(text=GOOD_DECISION),
    "cached_tokens": VendorReply(text=GOOD_DECISION, cached_tokens=1_024),
    "no_usage": VendorReply(text=GOOD_DECISION, reports_usage=False),
    "rate_limited": VendorReply(status=429, error_code="rate_limit_exceeded", headers={"Retry-After": "7"}),
    "quota_spent": VendorReply(status=429, error_code="insufficient_quota"),
    "server_error": VendorReply(status=500, error_code="server_error"),
    "unavailable": VendorReply(status=503, headers={"Retry-After": "2"}),
    "failed_inside": VendorReply(fails_inside=True, error_code="server_error"),
    "bad_request": VendorReply(status=400, error_code="invalid_request"),
    "wrong_key": VendorReply(status=401, error_code="invalid_api_key"),
    "forbidden": VendorReply(status=403, error_code="forbidden"),
    "unknown_model": VendorReply(status=404, error_code="model_not_found"),
    "timeout": VendorReply(hangs=True),
    "stalled": VendorReply(text=GOOD_DECISION, hangs=True),
    "broken_off": VendorReply(text=GOOD_DECISION, cut_after=40),
    "proxy_page": VendorReply(raw_body=b"<html>Bad gateway</html>"),
    "truncated_json": VendorReply(text=GOOD_DECISION[:60], finish="truncated"),
    "refusal": VendorReply(refusal="I can’t help with that."),
    "filtered": VendorReply(text="", finish="filtered"),
    "schema_violation": VendorReply(text='{"decision": {"outcome": "sing", "text": "la"}}'),
    "empty_answer": VendorReply(text=""),
}
# No server listens: use ``refused_openai`` instead of ``vendor``.
REFUSED = "refused_connection"
