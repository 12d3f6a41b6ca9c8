"""The statements of the context report: each one aggregate over the turns of a range."""

_SCOPE = """organization_id = %(organization)s
    AND created_at >= %(first)s::date::timestamp AT TIME ZONE %(zone)s
    AND created_at < %(end)s::date::timestamp AT TIME ZONE %(zone)s"""
_DAY = "(created_at AT TIME ZONE %(zone)s)::date"


def _in_range(statement: str) -> str:
    return statement.replace("{scope}", _SCOPE).replace("{day}", _DAY)


SUMMARY = _in_range("""
SELECT count(*),
    avg((SELECT sum(tokens::numeric) FROM jsonb_each_text(token_breakdown) AS source(name, tokens)))
        FILTER (WHERE token_breakdown <> '{}'),
    percentile_cont(0.5) WITHIN GROUP (ORDER BY (timings->>'total')::float8),
    percentile_cont(0.95) WITHIN GROUP (ORDER BY (timings->>'total')::float8),
    avg((fallback <> '')::int) FILTER (WHERE outcome <> '')
FROM chat_turn WHERE {scope}
""")

TOKENS = _in_range("""
WITH turn AS MATERIALIZED (
    SELECT {day} AS day, token_breakdown FROM chat_turn WHERE {scope} AND token_breakdown <> '{}'
), size AS (
    SELECT day, count(*) AS turns FROM turn GROUP BY day
)
SELECT day, name, sum(tokens::numeric) / min(turns)
FROM turn JOIN size USING (day), jsonb_each_text(token_breakdown) AS source(name, tokens)
GROUP BY day, name
""")

OUTCOMES = _in_range("""
SELECT {day} AS day,
    CASE WHEN fallback <> '' THEN 'fallback' WHEN outcome <> '' THEN outcome ELSE state END AS name,
    count(*)
FROM chat_turn
WHERE {scope} AND state IN ('answered', 'clarified', 'delegated', 'controlled', 'replied', 'failed', 'cancelled')
GROUP BY day, name
""")

DAY_LATENCY = _in_range("""
WITH measured AS (
    SELECT {day} AS day, percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY (timings->>'total')::float8) AS found
    FROM chat_turn WHERE {scope} AND timings ? 'total' GROUP BY day
)
SELECT day, 'median', found[1] / 1000 FROM measured
UNION ALL
SELECT day, '95th percentile', found[2] / 1000 FROM measured
""")

STAGE_LATENCY = _in_range("""
SELECT name, percentile_cont(0.5) WITHIN GROUP (ORDER BY milliseconds::float8) / 1000,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY milliseconds::float8) / 1000, count(*)
FROM chat_turn, jsonb_each_text(timings) AS stage(name, milliseconds)
WHERE {scope} GROUP BY name
""")

TOPICS = _in_range("""
SELECT min(words), count(*) AS times, max(created_at)
FROM conversations_message, jsonb_array_elements_text(unresolved) AS topic(words)
WHERE {scope} AND unresolved <> '[]' GROUP BY lower(words) ORDER BY times DESC, max(created_at) DESC LIMIT %(topics)s
""")
