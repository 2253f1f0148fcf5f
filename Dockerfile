# One image for web, workers and beat; docker-compose.yml says how each is started.

FROM node:22-slim AS pages
WORKDIR /src/frontend
COPY frontend/package.json frontend/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY frontend ./
RUN npm run build

FROM python:3.12-slim AS packages
RUN pip install --no-cache-dir uv==0.13.9
WORKDIR /src
COPY pyproject.toml requirements.lock ./
# What runs in production and what code in flows may import, at the versions of the lock; the tools of development stay
# out.
RUN python -m venv /venv \
 && uv pip install --no-cache --compile-bytecode --python /venv/bin/python --constraint requirements.lock -r pyproject.toml --group sandbox

FROM python:3.12-slim
# bubblewrap: generated code runs inside it, without network, files, environment or secrets.
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 10001 lgstudio \
 && install -d -o lgstudio -g lgstudio -m 700 /var/lib/lgstudio /var/lib/lgstudio/files
COPY --from=packages /venv /venv
ENV PATH=/venv/bin:$PATH
WORKDIR /app
COPY manage.py ./
COPY flows flows
COPY runtime runtime
COPY studio studio
COPY static static
COPY --from=pages /src/static/dist static/dist
# Whoever runs it cannot write here, and would compile all of it at every start.
RUN python -m compileall -q flows runtime studio
# Few arenas: each of two dozen threads would keep memory of its own, which no other gets back.
ENV PYTHONUNBUFFERED=1 \
    MALLOC_ARENA_MAX=2 \
    PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=studio.settings \
    LGSTUDIO_VAR=/var/lib/lgstudio
USER 10001
EXPOSE 8420
CMD ["python", "-m", "daphne", "-b", "0.0.0.0", "-p", "8420", "--websocket-max-message-size", "65536", "--verbosity", "0", "--no-server-name", "studio.asgi:application"]
