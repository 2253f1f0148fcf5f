# Every everyday command. `make` lists them.
SHELL := bash
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/.venv/bin:$(PATH)
PYTHON_IN := .venv/bin/python

.PHONY: help run test test-fast e2e chaos check generate bench format lock clean

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## Install what is missing, build, and start everything on http://127.0.0.1:8420
	@.ci/prepare frontend && { set -a; ! [ -f .env ] || . ./.env; set +a; exec $(PYTHON_IN) manage.py up; }

test: ## Every test: SQLite, PostgreSQL, front end, browser, chaos
	@.ci/prepare tests && exec $(PYTHON_IN) -m tests.support.suite

test-fast: ## The unit tests on SQLite only; ARGS are pytest's
	@.ci/prepare python && exec $(PYTHON_IN) -m pytest tests --ignore=tests/e2e --ignore=tests/chaos --ignore=tests/bench $(ARGS)

e2e: ## The browser tests only; ARGS are pytest's
	@.ci/prepare tests && exec $(PYTHON_IN) -m pytest tests/e2e $(ARGS)

chaos: ## Kill workers at random and at every crash point; ARGS are pytest's
	@.ci/prepare python && exec $(PYTHON_IN) -m pytest tests/chaos -s $(ARGS)

check: ## Lint, types, layers, stale generated files, missing migrations, and the front end's build
	@.ci/prepare frontend && exec .ci/check

generate: ## Write the files that are derived from the code
	@.ci/prepare frontend && $(PYTHON_IN) manage.py generate

bench: ## Print the figures beside a bare floor of the same minute; ONLY=name picks one
	@.ci/prepare frontend && for file in $$(grep -l __main__ tests/bench/$(or $(ONLY),*).py); do \
	  name=$$(basename "$$file" .py); echo; echo "== $$name"; $(PYTHON_IN) -m "tests.bench.$$name" || exit 1; done

format: ## Format and fix what ruff can
	@.ci/prepare python && .venv/bin/ruff format . && .venv/bin/ruff check --fix .

lock: ## Write requirements.lock anew from pyproject.toml
	@.ci/prepare python && .venv/bin/uv pip compile pyproject.toml --group dev --universal --generate-hashes -q --no-emit-index-url -o requirements.lock

clean: ## Remove what was installed and built; var/ with its database stays
	rm -rf .venv frontend/node_modules static/dist .ruff_cache .pytest_cache .hypothesis .import_linter_cache
