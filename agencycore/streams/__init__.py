"""Numbered events: one publisher, one subscription, carried by one consumer and one SSE response.

Postgres is the truth. Redis only says that something is new, at most once, and is never trusted.
"""
