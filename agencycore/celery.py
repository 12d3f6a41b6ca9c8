"""The Celery application: two queues, ``turns`` (threads) and ``work`` (processes)."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agencycore.settings")

app = Celery("agencycore")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
