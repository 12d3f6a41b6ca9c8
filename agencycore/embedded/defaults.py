def database_urls(runtime: str, owner: str) -> tuple[str, str]:
    return runtime, owner or runtime


def redis_url(url: str) -> str:
    return url


def secret_key() -> str:
    return "x" * 50
