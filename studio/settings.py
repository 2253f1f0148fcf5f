"""Settings, all from the environment. `.env.example` says what each one is for."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path
from urllib.parse import urlsplit

import dj_database_url

BASE_DIR = Path(__file__).resolve().parent.parent
VAR = Path(os.environ.get("LGSTUDIO_VAR", BASE_DIR / "var"))


def _words(name: str, default: str = "") -> list[str]:
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def _secret_key() -> str:
    """SECRET_KEY, or one made once and kept in VAR: a first run needs no set-up, and a restart ends no session."""
    given = os.environ.get("SECRET_KEY", "")
    if given:
        return given
    VAR.mkdir(parents=True, exist_ok=True)
    file = VAR / "secret_key"
    try:
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as new:
            new.write(secrets.token_urlsafe(48))
    except FileExistsError:
        pass
    return file.read_text()


TESTING = "pytest" in sys.modules
DEBUG = os.environ.get("DEBUG") == "1"
PORT = int(os.environ.get("PORT", "8420"))
PUBLIC_URL = os.environ.get("PUBLIC_URL", f"http://127.0.0.1:{PORT}").rstrip("/")
DEMO_URL = os.environ.get("DEMO_URL", "http://127.0.0.1:8421/v1")
SECRET_KEY = _secret_key()
ALLOWED_HOSTS = _words("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
if urlsplit(PUBLIC_URL).hostname not in ALLOWED_HOSTS:
    ALLOWED_HOSTS.append(urlsplit(PUBLIC_URL).hostname or "")
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "channels",
    "flows",
    "runtime",
    "studio",
]
MIDDLEWARE = [
    "studio.middleware.Headers",
    "studio.storable.Storable",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "studio.presence.SignsOfLife",
    "studio.middleware.Scope",
    "studio.middleware.Refusals",
]
ROOT_URLCONF = "studio.urls"
ASGI_APPLICATION = "studio.asgi.application"
CSRF_FAILURE_VIEW = "studio.pages.errors.stale_form"
APPEND_SLASH = False
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": ["django.template.context_processors.request", "studio.pages.frame.frame"],
            "builtins": ["studio.templatetags.studio"],
        },
    }
]

AUTH_USER_MODEL = "studio.User"
AUTHENTICATION_BACKENDS = ["studio.accounts.Accounts"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/sign-in"

_HTTPS = PUBLIC_URL.startswith("https://")
SESSION_COOKIE_AGE = 30 * 24 * 3600
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = _HTTPS
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = _HTTPS
SECURE_CONTENT_TYPE_NOSNIFF = True
# Under no-referrer, forms POST `Origin: null` and Django answers 403.
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if _HTTPS else 0
BEHIND_PROXY = os.environ.get("BEHIND_PROXY") == "1"
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 500

# Files that people give and steps make: outside of everything that is served, read by web and workers alike.
FILES_FOLDER = Path(os.environ.get("FILES_FOLDER") or VAR / "files")
FILE_LARGEST = int(os.environ.get("FILE_LARGEST_MB", "20")) << 20
FILES_A_DAY = int(os.environ.get("FILES_A_DAY_MB", "100")) << 20
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    "files": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": FILES_FOLDER,
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    },
}

REST_FRAMEWORK = {
    "DEFAULT_PARSER_CLASSES": ["studio.api.json.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["studio.access.HasRight"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "studio.api.json.answer_exception",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {"TITLE": "LGStudio", "VERSION": "1", "SERVE_PUBLIC": False}

# Without DATABASE_URL: SQLite. IMMEDIATE, because two writers in the default mode meet "database is locked".
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 30,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
}
DATABASES = {"default": dj_database_url.config(default=f"sqlite:///{VAR / 'lgstudio.sqlite3'}", conn_max_age=600)}
if DATABASES["default"].get("ENGINE", "").endswith("sqlite3"):
    DATABASES["default"]["ENGINE"] = "runtime.sqlite3"
    DATABASES["default"]["OPTIONS"] = SQLITE_OPTIONS
else:
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True

REDIS_URL = os.environ.get("REDIS_URL", f"unix://{VAR / 'valkey.sock'}")
CHANNEL_LAYERS = {
    "default": {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [REDIS_URL]}}
}

# How long a worker that says nothing keeps its runs, and how often forgotten ones are looked for.
LEASE_SECONDS = float(os.environ.get("LEASE_SECONDS", "30"))
SWEEP_SECONDS = float(os.environ.get("SWEEP_SECONDS", "5"))
# So many workers may end with a run, without a step between, before it is set aside as lost.
LOST_AFTER = int(os.environ.get("LOST_AFTER", "5"))
# Where Google's access tokens are renewed.
GOOGLE_TOKEN_URL = os.environ.get("GOOGLE_TOKEN_URL", "https://oauth2.googleapis.com/token")
# More Python packages that code in flows may import, where a flow declares them.
SANDBOX_PACKAGES = _words("SANDBOX_PACKAGES")

# Signing in through a provider (OpenID Connect) beside passwords; studio/oidc says what is refused.
OIDC_ISSUER = os.environ.get("OIDC_ISSUER", "").strip()
OIDC_CLIENT_ID = os.environ.get("OIDC_CLIENT_ID", "").strip()
OIDC_CLIENT_SECRET = os.environ.get("OIDC_CLIENT_SECRET", "").strip()
OIDC_NAME = os.environ.get("OIDC_NAME", "").strip()

# Notices by mail. Without a host none is sent, and the page of notices says so.
EMAIL_HOST = os.environ.get("SMTP_HOST", "")
EMAIL_PORT = int(os.environ.get("SMTP_PORT") or 587)
EMAIL_HOST_USER = os.environ.get("SMTP_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("SMTP_PASSWORD", "")
EMAIL_USE_TLS = os.environ.get("SMTP_SECURITY", "starttls") == "starttls"
EMAIL_USE_SSL = os.environ.get("SMTP_SECURITY", "starttls") == "tls"
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = os.environ.get("MAIL_FROM") or f"LGStudio <lgstudio@{urlsplit(PUBLIC_URL).hostname}>"

# Where the spans of ended runs go, as OpenTelemetry names it; "" exports none and loads nothing for it.
TRACES_TO = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "").rstrip("/")
TRACES_NAME = os.environ.get("OTEL_SERVICE_NAME") or "lgstudio"
TRACES_HEADERS = os.environ.get("OTEL_EXPORTER_OTLP_HEADERS", "")
TRACES_SAY_ALL = os.environ.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "").lower() in ("1", "true")

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Served straight from static/: the bundle's own names carry hashes, so nothing is collected or renamed.
WHITENOISE_USE_FINDERS = True
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/dist/assets/.+-[\w-]{8,}\.\w+$"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"secrets": {"()": "runtime.services.secrets.LogMask"}},
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "filters": ["secrets"], "formatter": "line"}},
    "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL", "INFO")},
    "loggers": {
        "django.server": {"level": "WARNING"},
        "django.request": {"level": "ERROR"},
        "django.security.DisallowedHost": {"level": "ERROR"},
        "daphne": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
    },
}
