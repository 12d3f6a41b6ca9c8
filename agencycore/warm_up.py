"""What the first message would wait for otherwise: models are loaded when a worker starts."""

import gc
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
        threading.Thread(target=prepare_process, name="warm-up", daemon=True).start()


def prepare_process() -> None:
    """Load what every message needs, and take what is loaded by now out of garbage collection.

    It lives as long as the process; gone through again and again it is the longest pause of a turn.
    """
    load_models()
    gc.collect()
    gc.freeze()


def load_models() -> None:
    """Whatever fails here fails again, and is met, where it is needed."""
    try:
        get_responder()
        embedder = get_embedder()
        if not embedder.calls_out:
            embedder.embed(["ready"])
    except Exception:
        logger.exception("The models could not be loaded in advance.")
