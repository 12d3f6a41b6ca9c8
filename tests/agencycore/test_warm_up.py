"""A worker of threads loads its models when it starts."""

import gc
from types import SimpleNamespace

from celery.concurrency.solo import TaskPool as SoloPool
from celery.concurrency.thread import TaskPool as ThreadPool

from agencycore import warm_up


def started(monkeypatch, pool: object) -> list[str]:
    threads: list[str] = []

    class Thread:
        def __init__(self, *, target, name, daemon):
            self.name = name

        def start(self) -> None:
            threads.append(self.name)

    monkeypatch.setattr(warm_up.threading, "Thread", Thread)
    warm_up.warm_up(sender=SimpleNamespace(pool=pool))
    return threads


def test_only_a_worker_of_threads_warms_up(monkeypatch):
    assert started(monkeypatch, ThreadPool.__new__(ThreadPool)) == ["warm-up"]
    assert started(monkeypatch, SoloPool.__new__(SoloPool)) == []


def test_warming_up_embeds_once_and_leaves_a_remote_embedder_alone(monkeypatch):
    embedded: list[str] = []
    for calls_out in (False, True):
        embedder = SimpleNamespace(calls_out=calls_out, embed=embedded.extend)
        monkeypatch.setattr(warm_up, "get_embedder", lambda embedder=embedder: embedder)
        warm_up.load_models()

    assert embedded == ["ready"]


def test_a_model_that_cannot_be_loaded_keeps_no_worker_from_starting(monkeypatch, caplog):
    def fail() -> None:
        raise OSError("no such file")

    monkeypatch.setattr(warm_up, "get_embedder", fail)

    warm_up.load_models()

    assert "could not be loaded" in caplog.text


def test_what_is_loaded_when_a_worker_starts_is_out_of_garbage_collection(monkeypatch):
    monkeypatch.setattr(warm_up, "load_models", lambda: None)
    before = gc.get_freeze_count()
    try:
        warm_up.prepare_process()

        assert gc.get_freeze_count() > before
    finally:
        gc.unfreeze()
