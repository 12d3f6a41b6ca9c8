"""What the first message would wait for otherwise: models are loaded when a worker starts."""

import logging
import threading
from typing import Any

from celery.concurrency.thread import TaskPool as ThreadPool
from celery.signals import worker_ready

from agencycore.ai.ports import get_embedder, get_responder

logger = logging.getLogger(__name__)


@worker_ready.connect
def warm_up(sender: Any, **details: object) -> None:
    """Load in the background, so that the worker takes work at once; only where threads share the memory."""
    if isinstance(sender.pool, ThreadPool):
        threading.Thread(target=load_models, name="warm-up", daemon=True).start()


def load_models() -> None:
    """Whatever fails here fails again, and is met, where it is needed."""
    try:
        get_responder()
        embedder = get_embedder()
        if not embedder.calls_out:
            embedder.embed(["ready"])
    except Exception:
        logger.exception("The models could not be loaded in advance.")
