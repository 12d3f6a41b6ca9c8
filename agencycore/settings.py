"""Settings by section. Every environment variable read here stands in .env.example."""

from pathlib import Path

from agencycore import environment as env
from agencycore.embedded.defaults import database_urls, redis_url, secret_key
from agencycore.embedded.folders import data_folder

BASE_DIR = Path(__file__).resolve().parent.parent

# --- The site -------------------------------------------------------------------------------

DEBUG = env.flag("DEBUG", default=False)
SECRET_KEY = env.text("SECRET_KEY") or secret_key()
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")
CSRF_FAILURE_VIEW = "agencycore.error_pages.csrf_failure"
ROOT_URLCONF = "agencycore.urls"
ASGI_APPLICATION = "agencycore.asgi.application"
WEBSOCKET_URLPATTERNS = ["chat.routing.websocket_urlpatterns", "knowledge.routing.websocket_urlpatterns"]
AUTH_USER_MODEL = "organizations.User"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "chat"
LOGOUT_REDIRECT_URL = "login"
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "agencycore",
    "agencycore.dispatch",
    "agencycore.streams",
    "organizations",
    "crm",
    "conversations",
    "knowledge",
    "runs",
    "chat",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "channels",
    "rest_framework",
    "rest_framework.authtoken",
    "drf_spectacular",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "agencycore.static_files.StaticFilesMiddleware",
    "csp.middleware.CSPMiddleware",
    "agencycore.middleware.NullCharacterMiddleware",
    "agencycore.middleware.Utf8Middleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "organizations.middleware.StaffTenantMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "organizations.context_processors.membership",
            ],
        },
    },
]

PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.ScryptPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# --- Database: the runtime role owns nothing; migrations run as the owner --------------------

DATABASE_POOL_SIZE = env.integer("DATABASE_POOL_SIZE", 0)
DATABASE_POOL_TIMEOUT = env.integer("DATABASE_POOL_TIMEOUT", 10, minimum=1)
USES_BUNDLED_DATABASE = not (env.text("DATABASE_URL") or env.text("DATABASE_OWNER_URL"))
_runtime_url, _owner_url = database_urls(env.text("DATABASE_URL"), env.text("DATABASE_OWNER_URL"))
DATABASES = {
    "default": env.database("DATABASE_URL", _runtime_url),
    "owner": env.database("DATABASE_OWNER_URL", _owner_url),
}
# One URL alone: the same log-in acts as the runtime role, a weaker backstop (see docs/engineering).
ONE_DATABASE_URL = _runtime_url == _owner_url
RUNTIME_ROLE = "agencycore_runtime" if ONE_DATABASE_URL else str(DATABASES["default"]["USER"])
if ONE_DATABASE_URL:
    DATABASES["default"]["OPTIONS"]["assume_role"] = RUNTIME_ROLE  # type: ignore[index]
if DATABASE_POOL_SIZE:
    # Only where threads share a process: web and the turns pool. A prefork worker gains nothing.
    DATABASES["default"]["OPTIONS"]["pool"] = {  # type: ignore[index]
        "min_size": 1,
        "max_size": DATABASE_POOL_SIZE,
        "timeout": DATABASE_POOL_TIMEOUT,
    }
    # A connection that lay in the pool while the database restarted is replaced, not used.
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# Tests create one database, as the owner, and use it through both roles.
TEST_DATABASE_NAME = env.text("TEST_DATABASE_NAME", "test_agencycore")
DATABASES["owner"]["TEST"] = {"NAME": TEST_DATABASE_NAME}
DATABASES["default"]["TEST"] = {"NAME": TEST_DATABASE_NAME, "MIRROR": "owner"}

# --- Redis: wake-ups for sockets, doorbell for workers ---------------------------------------

REDIS_URL = redis_url(env.text("REDIS_URL"))
CHANNEL_PREFIX = "agencycore"
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL], "prefix": CHANNEL_PREFIX},
    }
}

# --- Celery ----------------------------------------------------------------------------------

CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "work"
CELERY_TASK_ROUTES = {"chat.*": {"queue": "turns"}, "dispatch.*": {"queue": "turns"}}
CELERY_TASK_ACKS_LATE = False  # a lost task is the sweeper's; Postgres is the queue of record
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # however long Redis is away, workers come back
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_timeout": 5, "socket_connect_timeout": 2, "retry_on_timeout": True}
CELERY_TIMEZONE = "UTC"

# --- Dispatch: leases ------------------------------------------------------------------------

LEASE_SECONDS = env.integer("LEASE_SECONDS", 30, minimum=1)
HEARTBEAT_SECONDS = env.integer("HEARTBEAT_SECONDS", 10, minimum=1)
SWEEP_SECONDS = env.integer("SWEEP_SECONDS", 10, minimum=1)
MAX_ATTEMPTS = env.integer("MAX_ATTEMPTS", 3, minimum=1)
# kind of work -> the Celery task that does it, and the function that gives up on it.
DISPATCH_TASKS = {
    "turn": "chat.process_turn",
    "report": "chat.write_report",
    "ingestion": "knowledge.ingest_source",
}
DISPATCH_GIVE_UP = {
    "turn": "chat.turns.give_up",
    "report": "chat.reports.give_up",
    "ingestion": "knowledge.actions.give_up",
}
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "dispatch.sweep", "schedule": SWEEP_SECONDS, "options": {"expires": SWEEP_SECONDS}}
}

# --- Turns -----------------------------------------------------------------------------------

SOURCE_TIMEOUT_SECONDS = env.integer("SOURCE_TIMEOUT_SECONDS", 5, minimum=1)
CONTEXT_TIMEOUT_SECONDS = env.integer("CONTEXT_TIMEOUT_SECONDS", 6, minimum=1)
MODEL_TIMEOUT_SECONDS = env.integer("MODEL_TIMEOUT_SECONDS", 60, minimum=1)
TURN_DEADLINE_SECONDS = env.integer("TURN_DEADLINE_SECONDS", 150, minimum=1)
TURN_UNCLAIMED_SECONDS = env.integer("TURN_UNCLAIMED_SECONDS", 900, minimum=1)
CONTEXT_TOKEN_BUDGET = env.integer("CONTEXT_TOKEN_BUDGET", 6_000, minimum=500)
TURNS_AT_WORK = env.integer("TURNS_AT_WORK", 6, minimum=1)
MESSAGES_PER_MINUTE = env.integer("MESSAGES_PER_MINUTE", 30, minimum=1)

# --- Ports: each composed here, as Django does for middleware --------------------------------

READERS = [
    "crm.readers.CompanyReader",
    "crm.readers.PersonReader",
    "crm.readers.ProspectReader",
    "crm.readers.DealReader",
    "crm.readers.OpportunityReader",
    "crm.readers.ActivityReader",
    "knowledge.readers.KnowledgeChunkReader",
    "runs.readers.RunReader",
    "runs.readers.DefinitionReader",
    "runs.readers.DefinitionDraftReader",
]
CONTEXT_SOURCES = [
    "chat.context.sources.conversation.ConversationSource",
    "chat.context.sources.application.ApplicationSource",
    "chat.context.sources.runs.RunsSource",
    "chat.context.sources.definitions.DefinitionsSource",
    "chat.context.sources.knowledge.KnowledgeSource",
    "chat.context.sources.memory.MemorySource",
    "chat.context.sources.capabilities.CapabilitiesSource",
]
TOOLS: list[str] = []
EXTRACTORS = [
    "knowledge.extractors.html.HtmlExtractor",
    "knowledge.extractors.markdown.MarkdownExtractor",
    "knowledge.extractors.text.TextExtractor",
]
RUN_LISTENERS = ["chat.run_events.ConversationRunListener"]
# Told of every deleted source, in its transaction: what they redact is counted in its receipt.
KNOWLEDGE_LISTENERS = ["chat.forgetting.forget_source"]
# How many runs an organization has started today, for the page of its limits.
DAY_RUN_COUNTER = "runs.limits.runs_today"

# --- Models ----------------------------------------------------------------------------------

OPENAI_API_KEY = env.text("OPENAI_API_KEY")
OPENAI_BASE_URL = env.text("OPENAI_BASE_URL")
OPENAI_MODEL = env.text("OPENAI_MODEL", "gpt-5-mini")
OPENAI_API = env.choice("OPENAI_API", "responses", {"responses", "chat_completions"})
OPENAI_EMBEDDING_MODEL = env.text("OPENAI_EMBEDDING_MODEL", "text-embedding-3-small")
RESPONDER = env.text("RESPONDER") or (
    "agencycore.ai.openai.OpenAIResponder" if OPENAI_API_KEY else "agencycore.ai.builtin.BuiltinResponder"
)
EMBEDDER = env.text("EMBEDDER") or "agencycore.ai.builtin.BuiltinEmbedder"
ROUTING_EXAMPLES = env.text("ROUTING_EXAMPLES") or str(BASE_DIR / "agencycore/ai/builtin/routing_examples.tsv")

# What a million tokens costs in the smallest unit of the operator's currency; 0: no cost is shown.
TOKEN_PRICES = {
    "input": env.integer("TOKEN_PRICE_INPUT", 0),
    "cached_input": env.integer("TOKEN_PRICE_CACHED_INPUT", 0),
    "output": env.integer("TOKEN_PRICE_OUTPUT", 0),
}

# --- Files -----------------------------------------------------------------------------------

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
MEDIA_ROOT = env.text("MEDIA_ROOT") or str(data_folder() / "files")
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Served from where they lie: no collect step that could be forgotten, and ES modules keep their names.
WHITENOISE_USE_FINDERS = True
# What browsers ask for at the root, whatever a page says: the icon.
WHITENOISE_ROOT = BASE_DIR / "static/root"
UPLOAD_MAX_BYTES = env.integer("UPLOAD_MAX_BYTES", 50 * 1024 * 1024, minimum=1)
FILE_UPLOAD_PERMISSIONS = 0o600

# --- API -------------------------------------------------------------------------------------

API_REQUESTS_PER_MINUTE = env.integer("API_REQUESTS_PER_MINUTE", 600, minimum=1)
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_THROTTLE_CLASSES": ["agencycore.api_throttle.RequestThrottle"],
    "DEFAULT_PARSER_CLASSES": [
        "agencycore.api_parsers.JSONParser",
        "rest_framework.parsers.FormParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "agencycore.api_schema.ProductSchema",
    "DEFAULT_PAGINATION_CLASS": "agencycore.api_pagination.CheckedCursorPagination",
    "PAGE_SIZE": 50,
    "EXCEPTION_HANDLER": "agencycore.api_errors.product_exception_handler",
}

SPECTACULAR_SETTINGS = {
    "TITLE": "AgencyCore chat",
    "DESCRIPTION": "Ask, follow and check answers as on the page. docs/engineering/api.md tells it in words.",
    "VERSION": "0.1.0",
    "PREPROCESSING_HOOKS": ["chat.api.described.with_streams"],
    "ENUM_NAME_OVERRIDES": {
        "TurnState": "chat.models.Turn.State",
        "SourceState": "knowledge.models.KnowledgeSource.State",
    },
    "SERVE_INCLUDE_SCHEMA": False,
}

# --- Safety ----------------------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "style-src": ["'self'"],
        "script-src": ["'self'"],
        "connect-src": ["'self'"],
        "object-src": ["'none'"],
        "base-uri": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}
HTTPS = env.flag("HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# --- Logging ---------------------------------------------------------------------------------

LOG_LEVEL = env.choice("LOG_LEVEL", "INFO", {"DEBUG", "INFO", "WARNING", "ERROR"})
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
}
