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

DAY_STAGE_LATENCY = _in_range("""
SELECT {day} AS day, name, percentile_cont(0.5) WITHIN GROUP (ORDER BY milliseconds::float8) / 1000,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY milliseconds::float8) / 1000
FROM chat_turn, jsonb_each_text(timings) AS stage(name, milliseconds)
WHERE {scope} GROUP BY day, name
""")

TOPICS = _in_range("""
SELECT min(words), count(*) AS times, max(created_at)
FROM conversations_message, jsonb_array_elements_text(unresolved) AS topic(words)
WHERE {scope} AND unresolved <> '[]' GROUP BY lower(words) ORDER BY times DESC, max(created_at) DESC, lower(words)
LIMIT %(topics)s
""")

# The most frequent ones by their place in the order of TOPICS, all others together without one.
DAY_TOPICS = _in_range("""
WITH said AS MATERIALIZED (
    SELECT {day} AS day, created_at, words, lower(words) AS topic
    FROM conversations_message, jsonb_array_elements_text(unresolved) AS topic(words)
    WHERE {scope} AND unresolved <> '[]'
), placed AS (
    SELECT topic, min(words) AS words, row_number() OVER (ORDER BY count(*) DESC, max(created_at) DESC, topic) AS place
    FROM said GROUP BY topic
), named AS (
    SELECT said.topic, place, placed.words
    FROM (SELECT DISTINCT topic FROM said) AS said
    LEFT JOIN placed ON placed.topic = said.topic AND place <= %(drawn)s
)
SELECT day, place, named.words, count(*) FROM said JOIN named USING (topic)
GROUP BY day, place, named.words ORDER BY place, day
""")
