"""The one statement of search.

Two arms, the organization's own rows and the platform's, are scanned exactly: no approximate index can
be chosen, as the distances are expressions and not sort keys. The question's IDF vector is made from the
term statistics of both arms, for the languages that are there; its inner product with a row's lexical
vector is BM25. The two scores are fused as a weighted sum, each relative to the best of its kind. One row
comes back even if nothing was found: it carries what the relevance floor judges by.
"""

SEARCH = """
WITH language AS MATERIALIZED (
    SELECT term, sum(df)::float8 AS chunks FROM (
        SELECT term, df FROM term_stats
        WHERE organization_id = %(organization)s AND term = ANY(%(all_languages)s::int[])
        UNION ALL
        SELECT term, df FROM term_stats
        WHERE organization_id IS NULL AND term = ANY(%(all_languages)s::int[])
    ) AS both_scopes GROUP BY term
), asked AS MATERIALIZED (
    SELECT pair.term, ln(1 + (language.chunks - found.df + 0.5) / (found.df + 0.5)) AS idf
    FROM unnest(%(terms)s::int[], %(languages)s::int[]) AS pair(term, language)
    JOIN language ON language.term = pair.language
    JOIN LATERAL (
        SELECT sum(df)::float8 AS df FROM (
            SELECT df FROM term_stats WHERE organization_id = %(organization)s AND term = pair.term
            UNION ALL
            SELECT df FROM term_stats WHERE organization_id IS NULL AND term = pair.term
        ) AS both_scopes
    ) AS found ON found.df > 0
), question AS MATERIALIZED (
    SELECT ('{' || coalesce(string_agg(term || ':' || idf::real, ',' ORDER BY term), '')
        || '}/536870912')::sparsevec AS idf
    FROM asked
), scored AS MATERIALIZED (
    SELECT chunk_id, embedder = %(embedder)s AS is_current, false AS is_platform,
        -(lexical <#> (SELECT idf FROM question)) AS words,
        CASE WHEN embedder = %(embedder)s THEN -(embedding <#> %(vector)s::halfvec) END AS cosine
    FROM chunk_index
    WHERE organization_id = %(organization)s AND {own_filter}
    UNION ALL
    SELECT chunk_id, embedder = %(embedder)s, true,
        -(lexical <#> (SELECT idf FROM question)),
        CASE WHEN embedder = %(embedder)s THEN -(embedding <#> %(vector)s::halfvec) END
    FROM chunk_index
    WHERE organization_id IS NULL AND {platform_filter}
), best AS MATERIALIZED (
    SELECT max(words) AS words, max(cosine) AS cosine, coalesce(bool_or(cosine IS NULL), false) AS lacks_vectors,
        count(*) AS chunks
    FROM scored
), fused AS (
    SELECT scored.chunk_id, is_current, is_platform, scored.cosine,
        coalesce(%(dense_weight)s * greatest(scored.cosine, 0) / nullif(greatest(best.cosine, 0), 0), 0)
        + coalesce((1 - %(dense_weight)s) * scored.words / nullif(best.words, 0), 0) AS score
    FROM scored, best
), candidate AS MATERIALIZED (
    (SELECT * FROM fused WHERE NOT is_platform ORDER BY score DESC, chunk_id LIMIT %(limit)s)
    UNION ALL
    (SELECT * FROM fused WHERE is_platform ORDER BY score DESC, chunk_id LIMIT %(limit)s)
), hit AS (
    SELECT candidate.chunk_id, candidate.is_platform, candidate.cosine, candidate.score, chunk_index.lexical,
        chunk.source_id, chunk.ordinal, chunk.position, chunk.text, chunk.tokens, chunk.content_hash, source.title
    FROM candidate
    JOIN chunk_index ON chunk_index.chunk_id = candidate.chunk_id
        AND (chunk_index.embedder = %(embedder)s) = is_current
    JOIN knowledge_knowledgechunk AS chunk ON chunk.id = candidate.chunk_id
    JOIN knowledge_knowledgesource AS source ON source.id = chunk.source_id AND source.state = 'ready'
)
SELECT best.cosine AS best_cosine, best.lacks_vectors,
    best.chunks,
    (SELECT json_object_agg(term, idf) FROM asked) AS idf,
    (SELECT json_object_agg(term, chunks) FROM language) AS language_chunks,
    hit.*
FROM best LEFT JOIN hit ON true
ORDER BY hit.score DESC, hit.chunk_id
"""

_CHOSEN = "chunk_id IN (SELECT id FROM knowledge_knowledgechunk WHERE source_id = ANY(%(sources)s))"

ALL_SOURCES = SEARCH.replace("{own_filter}", "true").replace("{platform_filter}", "true")
CHOSEN_SOURCES = SEARCH.replace("{own_filter}", _CHOSEN).replace("{platform_filter}", _CHOSEN)
CHOSEN_AND_PLATFORM = SEARCH.replace("{own_filter}", _CHOSEN).replace("{platform_filter}", "true")
