"""Numbered events. The database is the truth; sockets and Redis are hints that something is new."""

from django.db import models


class Stream(models.Model):
    """One sequence of events: ``conversation:<id>``, ``run:<id>`` or ``knowledge:<organization>``."""

    name = models.CharField(max_length=80, unique=True)
    organization_id = models.UUIDField()
    last_number = models.BigIntegerField(default=0, help_text="The newest event's number; taken under the row lock.")

    def __str__(self) -> str:
        return self.name


class Event(models.Model):
    stream = models.ForeignKey(Stream, on_delete=models.CASCADE, related_name="events")
    organization_id = models.UUIDField()
    number = models.BigIntegerField()
    type = models.CharField(max_length=40)
    payload = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            # Also serves replay: the events of a stream after a number.
            models.UniqueConstraint(fields=["stream", "number"], name="event_number_once_per_stream"),
        ]

    def __str__(self) -> str:
        return f"{self.type} #{self.number}"
