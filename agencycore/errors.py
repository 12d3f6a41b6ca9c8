"""The one base of every error a person may be shown."""


class ProductError(Exception):
    """Theirs, not ours: shown in product words, answered with a 4xx status.

    ``code`` is stable for programs, ``str(error)`` is for people.
    """

    code = "invalid"
    status = 400


class NotFound(ProductError):
    """Unknown, deleted, foreign and forbidden things alike."""

    code = "not_found"
    status = 404


class Refused(ProductError):
    """Understood, allowed to be asked, and not possible now."""

    code = "refused"
    status = 409


class RateLimited(ProductError):
    """Too many messages; ``retry_after_seconds`` says when to come back."""

    code = "rate_limited"
    status = 429

    def __init__(self, message: str, *, retry_after_seconds: int) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds
