"""The built-in adapters: no key, no network, deterministic."""

from agencycore.ai.builtin.embedder import BuiltinEmbedder
from agencycore.ai.builtin.responder import BuiltinResponder

__all__ = ["BuiltinEmbedder", "BuiltinResponder"]
