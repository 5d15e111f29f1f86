# `make` lists what can be made.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
C_SOURCES := $(wildcard src/graycard/native/*.[ch])
# The tests start the program hundreds of times: its compiled modules are kept, whatever the environment says.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help dev check format lint types test long sanitize cross diagnosis accuracy bench simulate schema requirements clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

dev: $(VENV)/ready ## make the environment: package in editable form, tools, extras

$(VENV)/ready: pyproject.toml requirements-dev.txt setup.py $(C_SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

check: dev ## all that CI runs
	$(MAKE) --jobs=2 --output-sync=target lint types cross sanitize
	$(MAKE) test
	$(MAKE) diagnosis

format: dev ## rewrite the sources in the house's format
	$(BIN)/ruff format . && $(BIN)/ruff check --fix .

lint: dev ## format and lint without changing anything
	$(BIN)/ruff format --check . && $(BIN)/ruff check .

types: dev ## mypy --strict, for each platform
	$(BIN)/mypy && $(BIN)/mypy --platform darwin --exclude host/linux/ && $(BIN)/mypy --platform win32 --exclude host/linux/

test: dev ## the tests (as root: all of them), many of which wait: three at once, then those that need the machine
	$(BIN)/pytest -n 3 --dist worksteal -m "not alone"
	$(BIN)/pytest -m alone

long: dev ## the long tier of the tests: all loads on the known device, many more damaged files and random stores
	GRAYCARD_LONG_TESTS=1 $(BIN)/pytest tests/importers/test_any_damage.py tests/readings/test_any_damage.py tests/test_store*.py tests/offload/test_many.py tests/cli/test_import.py tests/importers/test_memory.py tests/importers/test_locales.py
	GRAYCARD_LONG_TESTS=1 $(BIN)/pytest tests/accuracy

sanitize: dev ## the core under address, undefined and thread sanitizers
	$(BIN)/python tools/sanitize.py

cross: dev ## compile the core for macOS, Windows and Linux arm64
	$(BIN)/python tools/cross_compile.py

diagnosis: dev ## six causes of a slow copy in the bed of namespaces, what is named for each (root)
	$(BIN)/python -m tools.diagnosis --small --time 30s --must 0.8

accuracy: dev ## measure and write docs/accuracy.md (root)
	$(BIN)/python -m tools.accuracy

bench: dev ## measure and write docs/performance.md (root)
	$(BIN)/python -m tools.bench

simulate: dev ## the release tier of the simulations, into docs/method.md
	$(BIN)/python tools/simulate.py

schema: dev ## write docs/schema from the nouns
	$(BIN)/python tools/make_schema.py

requirements: ## pin the tools again, with hashes and without addresses
	$(BIN)/pip install -q pip-tools
	$(BIN)/pip-compile -q --generate-hashes --allow-unsafe --strip-extras --no-emit-index-url --no-emit-trusted-host \
		--no-emit-find-links --no-header --extra report --extra dev -o requirements-dev.txt pyproject.toml

clean: ## remove what was made
	rm -rf build dist src/*.egg-info $(VENV)
