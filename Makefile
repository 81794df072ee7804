# `make run` serves, `make test` proves; both install what they need into .venv. `make help` lists the rest.

PORT ?= 8000
# The folder of the setting of the command line, so that both use one.
DATA ?= $(or $(PADRON_DATA),var)
PYTHON ?= python3

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
COMPILE := build/lock/bin/pip-compile --quiet --generate-hashes --strip-extras --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host
# Three processes, since many tests wait for servers, a file of tests at a time to each; what took longest is listed at the end.
PYTEST := $(BIN)/python -m pytest -q --numprocesses 3 --dist loadfile --durations=25
# Whatever the environment says, Python keeps what it compiles: the tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE
# What shapes a release: a change in any of these files builds it anew.
RELEASE_INPUTS := data/official requirements.lock \
	$(addprefix src/padron/,companies countries errors/__init__.py index ingest lookup/statements.py publishing/publish.py releases storage.py text.py threads.py words/__init__.py)

# Packages of the TypeScript client: its tools, the Node they need, and what the long suite runs it in.
TS := clients/typescript
TS_TOOLS := $(TS)/node_modules/installed $(TS)/node/node_modules/installed
TS_RUNTIMES := $(TS)/runtimes/node_modules/installed
# axe, the Nu checker, Lighthouse and the Node it needs.
PAGE_TOOLS := tests/web/tools/node_modules/installed

# Sentences for people: where `pybabel extract` finds them, and the catalogue of their Spanish.
EXTRACT := --mapping-file pyproject.toml --keywords bilingual --keywords bilingual_plural:1,2 --sort-by-file --add-location file --omit-header
CATALOGUE := src/padron/words/locale/es/LC_MESSAGES/padron.po

# Commands that Debian may lack, each with the package that has it where that is called otherwise; installed in one step.
define need
@missing=; for command in $(1); do command -v $${command%:*} >/dev/null || missing="$$missing $${command#*:}"; done; \
test -z "$$missing" || { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq $$missing; } || { \
	echo "Missing:$$missing. Let root run \`apt-get install$$missing\`, then repeat." >&2; exit 1; }
endef
FOR_TEST := chromium curl npm
FOR_VERIFY := $(FOR_TEST) faketime redis-server pg_ctlcluster:postgresql nginx:nginx-light caddy systemd-analyze:systemd
FOR_PAGES := $(FOR_VERIFY) java:default-jre-headless
FOR_RELEASE := $(FOR_VERIFY) go:golang-go buildah mmdebstrap
FOR_CLUSTER := mvn:maven redis-server pg_ctlcluster:postgresql caddy

# Run a suite of tests by its mark, and keep its result.
define keep_suite
@mkdir -p build
$(PYTEST) --junitxml=build/$@.xml -m $(1)
$(BIN)/python -m tools.keep $@ build/$@.xml
endef

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install run build test verify check endurance pages release-check golden ladder calibrate bench faults soak cluster cluster-test docs pictures generate words lock wheel sbom audit clean

help:
	@echo 'make run      build the bundled release when needed and serve it on http://127.0.0.1:$(PORT) (PORT=, DATA=)'
	@echo 'make check    lint, types, architecture, names'
	@echo 'make test     unit, contract, property and HTTP tests'
	@echo 'make verify   small doses of what takes servers, browsers and kills'
	@echo 'make install  what these three need'
	@echo 'Long suites, whose results are kept in benchmarks/results:'
	@echo 'make endurance kills, long fuzzing, damage of every file, accounts on PostgreSQL, quality of matching'
	@echo 'make pages    every page and journey in the browser, judged by axe and the Nu checker; Lighthouse'
	@echo 'make release-check the image, wheels, bill of materials, a fresh copy, the TypeScript client in every runtime'
	@echo 'make golden   match quality and answers to questions, on the untouched parts of the evaluation sets; a labelled list'
	@echo 'make ladder   match quality in invented directories of 10,000 to 10,000,000 companies, which takes 40 minutes'
	@echo 'make calibrate fit the weights of ranking to the training part of the evaluation set'
	@echo 'make bench    the benchmarks; results are kept in benchmarks/results'
	@echo 'make faults   what hostile clients, damaged files, full disks and killed processes do to the service; needs root'
	@echo 'make soak     the same service under load for half an hour (MINUTES=); results are kept in benchmarks/results'
	@echo 'make cluster  the whole system on this machine: OpenSearch (SEARCH_NODES=3), PostgreSQL, Redis, object storage, three nodes, Caddy (PORT=)'
	@echo 'make cluster-test prove that system and its parts under faults; the result is kept'
	@echo 'make docs     write the generated parts of the documents: coverage, licences, answers, sources'
	@echo 'make pictures draw twelve pages into docs/pictures, on a desktop and on a phone'
	@echo 'make generate write the typed classes of a company from the table of its fields, the rules of identifiers of both clients, the headers that the client knows, and the collection for Postman'
	@echo 'make words    bring the Spanish catalogue up to date with the sentences in the code and templates'
	@echo 'make lock     resolve pyproject.toml into the two lock files'
	@echo 'make wheel    write the packages padron and padron-data to dist/; the same files give the same bytes'
	@echo 'make sbom     write the CycloneDX bill of materials of requirements.lock to dist/'
	@echo 'make audit    compare the lock files with known vulnerabilities'
	@echo 'make clean    remove .venv, build products and caches; the data folder stays'

run: build
	@$(BIN)/padron serve --data $(DATA) --host 127.0.0.1 --port $(PORT)

build: $(VENV)/run.installed
	@inputs=$$(find $(RELEASE_INPUTS) -type f -not -name '*.pyc' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum); \
	if test -e $(DATA)/current && test "$$inputs" = "$$(cat $(DATA)/built-from 2>/dev/null)"; then \
		echo 'The release in $(DATA)/ is up to date.'; \
	else \
		$(BIN)/padron build --data $(DATA) && echo "$$inputs" > $(DATA)/built-from; \
	fi

install: $(VENV)/test.installed $(TS_TOOLS) $(PAGE_TOOLS)
	$(call need,$(FOR_VERIFY))

test: $(VENV)/test.installed $(TS_TOOLS)
	$(call need,$(FOR_TEST))
	$(PYTEST)

verify: install
	$(PYTEST) -m verify

endurance: export FULL_SIZE := 1
endurance: export HYPOTHESIS_PROFILE := random
endurance: install
	$(PYTEST) -m hypothesis
	$(call keep_suite,endurance)

pages: build install
	$(call need,$(FOR_PAGES))
	$(call keep_suite,pages)
	$(BIN)/python benchmarks/lighthouse.py

release-check: install $(TS_RUNTIMES)
	$(call need,$(FOR_RELEASE))
	$(call keep_suite,release_check)

check: $(VENV)/test.installed
	$(BIN)/ruff check
	$(BIN)/ruff check --quiet --preview --select DOC102,DOC202,DOC403
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.naming
	cd clients/python && ../../$(BIN)/mypy && PYRIGHT_PYTHON_IGNORE_WARNINGS=1 ../../$(BIN)/pyright --pythonpath ../../$(BIN)/python

# The others have targets of their own (faults, search_faults, lighthouse), or need a second checkout (compare).
BENCHMARKS := agentic authentication building clients clients_typescript engines matching pages search serving suggestions

bench: build $(VENV)/test.installed $(TS_TOOLS)
	$(call need,wrk redis-server mvn:maven)
	@for name in $(BENCHMARKS); do echo "== $$name" && $(BIN)/python "benchmarks/$$name.py" || exit 1; done

faults soak: build
	$(call need,faketime)
	PYTHONPATH=tests/support $(BIN)/python benchmarks/faults.py --data $(DATA) --keep $(if $(filter soak,$@),--soak $(or $(MINUTES),30))

cluster: build $(VENV)/test.installed
	$(call need,$(FOR_CLUSTER))
	exec env PYTHONPATH=src:tests/support $(BIN)/python tests/support/cluster.py --data $(DATA) --port $(PORT) --search-nodes $(or $(SEARCH_NODES),3)

cluster-test: build $(VENV)/test.installed
	$(call need,$(FOR_CLUSTER))
	$(call keep_suite,cluster)
	PYTHONPATH=src:tests/support $(BIN)/python benchmarks/search_faults.py --data $(DATA) --keep

docs: build
	$(BIN)/python docs/generate.py $(DATA)
	$(BIN)/python docs/generate_answers.py $(DATA)
	$(BIN)/python docs/generate_sources.py

pictures: build $(VENV)/test.installed
	$(call need,chromium)
	PYTHONPATH=src:tests/support $(BIN)/python docs/pictures.py $(DATA)

generate: $(VENV)/test.installed
	$(BIN)/python tools/generate_company.py
	$(BIN)/python -m tools.generate_identifiers
	$(BIN)/python -m tools.generate_headers
	$(BIN)/python -m tools.generate_collection

words: $(VENV)/test.installed
	@mkdir -p build
	$(BIN)/pybabel --quiet extract $(EXTRACT) --output-file build/padron.pot src/padron
	$(BIN)/pybabel --quiet update --locale es --ignore-obsolete --ignore-pot-creation-date --width 110 \
		--input-file build/padron.pot --output-file $(CATALOGUE)

golden: build $(VENV)/test.installed
	$(BIN)/python -m evaluation.run --data $(DATA)
	$(BIN)/python -m evaluation.run_questions --data $(DATA)
	$(BIN)/python -m evaluation.run_list --data $(DATA)
	$(BIN)/python -m evaluation.written_lists --data $(DATA)
	$(BIN)/python -m evaluation.agent_tasks --data $(DATA)

ladder: build $(VENV)/test.installed
	$(BIN)/python -m evaluation.ladder --data $(DATA) --keep

calibrate: build $(VENV)/test.installed
	@mkdir -p build
	$(BIN)/python -m evaluation.generate --data $(DATA) --split train > build/train.jsonl
	$(BIN)/python -m evaluation.fit_weights --data $(DATA) --queries build/train.jsonl

# Resolve with the oldest Python there is to support (Debian 12 has 3.11.2): it needs the most, and more does no harm.
lock:
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet pip-tools==7.6.2
	$(COMPILE) --all-build-deps --output-file requirements.lock pyproject.toml
	$(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["dev"], sep="\n")' \
		| $(COMPILE) --constraint requirements.lock --output-file requirements-dev.lock -

wheel: $(VENV)/run.installed
	$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist . ./data

sbom: build/supply.installed
	@mkdir -p dist
	build/supply/bin/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible \
		--output-file dist/padron.cdx.json requirements.lock

# Strict: where the advisories cannot be reached, nothing was audited, and the audit fails.
audit: build/supply.installed
	build/supply/bin/pip-audit --strict --disable-pip --requirement requirements.lock --requirement requirements-dev.lock

build/supply.installed: Makefile
	$(PYTHON) -m venv build/supply
	build/supply/bin/python -m pip install --quiet cyclonedx-bom==7.5.0 pip-audit==2.10.1
	@touch $@

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

$(TS_TOOLS) $(TS_RUNTIMES) $(PAGE_TOOLS): %/node_modules/installed: %/package-lock.json
	$(call need,npm)
	cd $* && npm ci --ignore-scripts --loglevel=error
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache \
		$(TS)/dist $(TS)/node_modules $(TS)/*/node_modules $(dir $(PAGE_TOOLS))
