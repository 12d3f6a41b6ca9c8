"""What the settings use where no address or key is given: the bundled services and a generated key."""

from urllib.parse import quote

from agencycore.embedded.folders import secret, socket_folder

DATABASE = "agencycore"
RUNTIME_USER = "agencycore"
OWNER_USER = "agencycore_owner"


def database_urls(runtime: str, owner: str) -> tuple[str, str]:
    """The addresses for request code and for migrations; one given address serves both."""
    if runtime or owner:
        return runtime or owner, owner or runtime
    return _bundled(RUNTIME_USER), _bundled(OWNER_USER)


def redis_url(url: str) -> str:
    return url or f"unix://{socket_folder('redis') / 'redis.sock'}"


def secret_key() -> str:
    return secret("secret_key")


def _bundled(user: str) -> str:
    folder = str(socket_folder("postgres"))
    return f"postgresql://{user}:{secret(user)}@/{DATABASE}?host={quote(folder)}"
