"""Django's SQLite backend with a turnstile before each write transaction."""
