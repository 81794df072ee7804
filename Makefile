# `make run` serves, `make test` proves; both install what they need into .venv. `make help` lists the rest.

PORT ?= 8000
DATA ?= var
PYTHON ?= python3

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
COMPILE := build/lock/bin/pip-compile --quiet --generate-hashes --strip-extras --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host
# What shapes a release: a change in any of these files builds it anew.
RELEASE_INPUTS := data/official src/padron/countries src/padron/ingest src/padron/search requirements.lock \
	$(addprefix src/padron/,country.py errors.py model.py origin.py publishing.py snapshot.py suppression.py text.py)

# What judges the pages: axe-core, the Nu checker, Lighthouse, and the Node they need.
PAGE_TOOLS := tests/web/tools/node_modules/installed

# A command that Debian may lack, and the package that has it where that is called otherwise.
define need
@command -v $(1) >/dev/null || { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq $(or $(2),$(1)); } || { \
	echo '$(1) is missing: let root run `apt-get install $(or $(2),$(1))`, then repeat.' >&2; exit 1; }
endef

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run build test verify check golden bench docs lock clean

help:
	@echo 'make run      build the bundled release when needed and serve it on http://127.0.0.1:$(PORT) (PORT=, DATA=)'
	@echo 'make test     unit, contract, property and HTTP tests'
	@echo 'make verify   the long suites'
	@echo 'make check    lint, types, architecture'
	@echo 'make golden   match quality on the untouched part of the evaluation set'
	@echo 'make bench    the benchmarks; results are kept in benchmarks/results'
	@echo 'make docs     write the generated parts of the documents: coverage, licences'
	@echo 'make lock     resolve pyproject.toml into the two lock files'
	@echo 'make clean    remove .venv, build products and caches; the data folder stays'

run: build
	PADRON_BASE_URL=$${PADRON_BASE_URL:-http://127.0.0.1:$(PORT)} $(BIN)/padron serve --data $(DATA) --host 127.0.0.1 --port $(PORT)

build: $(VENV)/run.installed
	@inputs=$$(find $(RELEASE_INPUTS) -type f -not -name '*.pyc' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum); \
	if test -e $(DATA)/current && test "$$inputs" = "$$(cat $(DATA)/built-from 2>/dev/null)"; then \
		echo 'The release in $(DATA)/ is up to date.'; \
	else \
		$(BIN)/padron build --data $(DATA) && echo "$$inputs" > $(DATA)/built-from; \
	fi

test: $(VENV)/test.installed
	$(call need,curl)
	$(call need,chromium)
	$(BIN)/python -m pytest -q

verify: $(VENV)/test.installed $(PAGE_TOOLS)
	$(call need,curl)
	$(call need,chromium)
	$(call need,java,default-jre-headless)
	$(call need,redis-server)
	$(call need,pg_ctlcluster,postgresql)
	$(call need,go,golang-go)
	$(BIN)/python -m pytest -q -m verify

check: $(VENV)/test.installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: build $(VENV)/test.installed $(PAGE_TOOLS)
	$(call need,wrk)
	$(call need,chromium)
	@for script in benchmarks/*.py; do echo "== $$script" && $(BIN)/python "$$script" || exit 1; done

docs: build
	$(BIN)/python docs/generate.py $(DATA)

golden: build $(VENV)/test.installed
	$(BIN)/python -m evaluation.run --data $(DATA)

# Resolve with the oldest Python there is to support (Debian 12 has 3.11.2): it needs the most, and more does no harm.
lock:
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet pip-tools==7.6.2
	$(COMPILE) --all-build-deps --output-file requirements.lock pyproject.toml
	$(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["dev"], sep="\n")' \
		| $(COMPILE) --constraint requirements.lock --output-file requirements-dev.lock -

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null && $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo 'Padrón needs Python 3.11 or newer, and $(PYTHON) is not that: make PYTHON=/path/to/python3.11' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
			apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv; \
		else \
			echo 'Python lacks its venv module: let root run `apt-get install python3-venv`, then repeat.' >&2; exit 1; \
		fi; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/run.installed: requirements.lock pyproject.toml | $(BIN)/python
	@echo 'Installing into $(VENV) …'
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-index --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/test.installed: $(VENV)/run.installed requirements-dev.lock
	$(PIP) install --require-hashes -r requirements-dev.lock
	$(call need,curl)
	@touch $@

$(PAGE_TOOLS): tests/web/tools/package-lock.json
	$(call need,npm)
	cd $(<D) && npm ci --loglevel=error
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache tests/web/tools/node_modules
