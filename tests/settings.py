"""Settings of a test run: the product's own, in a folder of its own, so that no test touches a developer's data.

The folder is named in the environment before the product's settings are read, and every process a test starts
inherits it.
"""

import atexit
import os
import shutil
import tempfile

_FOLDER = "LGSTUDIO_TEST_FOLDER"
if _FOLDER not in os.environ:
    os.environ[_FOLDER] = os.environ["LGSTUDIO_VAR"] = tempfile.mkdtemp(prefix="lgstudio-test-")
    os.environ["REDIS_URL"] = f"unix://{os.environ[_FOLDER]}/valkey.sock"
    atexit.register(shutil.rmtree, os.environ[_FOLDER], ignore_errors=True)

from studio.settings import *  # noqa: E402, F403
from studio.settings import DATABASES, VAR  # noqa: E402

# A file and not memory: worker threads and second processes of a test must see the same rows.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["TEST"] = {"NAME": str(VAR / "test.sqlite3")}

# Argon2 is slow on purpose; no test is about its cost.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# A file is looked for when it is asked for: to list them all at the first request of each client took half of the time.
WHITENOISE_AUTOREFRESH = True
