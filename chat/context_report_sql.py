"""The statements of the context report: each one aggregate over the turns of a range."""

_SCOPE = """organization_id = %(organization)s
    AND created_at >= %(first)s::date::timestamp AT TIME ZONE %(zone)s
    AND created_at < %(end)s::date::timestamp AT TIME ZONE %(zone)s"""
_DAY = "(created_at AT TIME ZONE %(zone)s)::date"
# Wordings that differ in case, figures or punctuation alone are one topic; one of nothing else stands for itself.
_TOPIC = """coalesce(
    nullif(trim(regexp_replace(lower(words), '[[:digit:][:punct:][:space:]“”‘’„«»…–—]+', ' ', 'g')), ''),
    lower(words)
)"""


def _in_range(statement: str) -> str:
    return statement.replace("{scope}", _SCOPE).replace("{day}", _DAY).replace("{topic}", _TOPIC)


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

# Each topic in its newest wording, with the question that this answered.
TOPICS = _in_range("""
WITH said AS (
    SELECT id, in_reply_to_id, created_at, words, {topic} AS topic
    FROM conversations_message, jsonb_array_elements_text(unresolved) AS entry(words)
    WHERE {scope} AND unresolved <> '[]'
), counted AS (
    SELECT topic, count(*) AS times FROM said GROUP BY topic
), newest AS (
    SELECT DISTINCT ON (topic) * FROM said ORDER BY topic, created_at DESC, id DESC
)
SELECT words, times, newest.created_at, coalesce(asked.text, ''), newest.id
FROM counted JOIN newest USING (topic) LEFT JOIN conversations_message AS asked ON asked.id = newest.in_reply_to_id
ORDER BY times DESC, newest.created_at DESC, topic
LIMIT %(topics)s
""")

# The most frequent ones by their place in the order of TOPICS, all others together without one.
DAY_TOPICS = _in_range("""
WITH said AS MATERIALIZED (
    SELECT {day} AS day, id, created_at, words, {topic} AS topic
    FROM conversations_message, jsonb_array_elements_text(unresolved) AS entry(words)
    WHERE {scope} AND unresolved <> '[]'
), placed AS (
    SELECT topic, (array_agg(words ORDER BY created_at DESC, id DESC))[1] AS words,
        row_number() OVER (ORDER BY count(*) DESC, max(created_at) DESC, topic) AS place
    FROM said GROUP BY topic
), named AS (
    SELECT said.topic, place, placed.words
    FROM (SELECT DISTINCT topic FROM said) AS said
    LEFT JOIN placed ON placed.topic = said.topic AND place <= %(drawn)s
)
SELECT day, place, named.words, count(*) FROM said JOIN named USING (topic)
GROUP BY day, place, named.words ORDER BY place, day
""")
