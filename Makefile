# Every target sets up what it needs: a virtual environment in .venv with locked versions.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help render test attacks check lint snapshots docs update bench lock lowest clean

help: ## Show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): requirements-dev.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("kitgen needs Python 3.11 or later") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@# Where nothing may write bytecode, as in many containers, every run would compile every module.
	$(BIN)/python -m compileall -q kitgen
	@touch $@

render: $(READY) ## Render all targets into overlays/
	$(BIN)/kitgen render

test: $(READY) ## Run the tests
	$(BIN)/pytest -n auto

attacks: $(READY) ## Run the attacks, every case of many, and what must hold of anything on more examples
	$(BIN)/pytest -n auto -m "exhaustive or hypothesis" --hypothesis-profile attacks

lint: $(READY) ## Check style, types and layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test attacks ## Everything that must hold before a change lands
	$(BIN)/kitgen render --check

snapshots: $(READY) ## Write the snapshots anew; read their diff
	$(BIN)/pytest -n 0 tests/snapshot --snapshot-update

docs: $(READY) ## Compile the rules, generate the reference pages
	$(BIN)/python -m docs.rule_data
	$(BIN)/python -m docs.definition_index
	$(BIN)/python -m docs.generate

# Tests that keep what they find, with --record.
RECORDED := tests/e2e/test_reference.py tests/e2e/test_routes.py tests/e2e/test_export.py tests/unit/crd/test_shipped.py

update: $(READY) ## Refresh all that is made or recorded from the kit; read the diff
	@$(BIN)/python -c 'import sys; from kitgen.files.programs import find_kustomize; find_kustomize() or sys.exit(\
		"make update needs kustomize or kubectl on the PATH: it records what they build")'
	$(BIN)/kitgen render
	$(BIN)/pytest -n 0 -q tests/snapshot --snapshot-update
	$(BIN)/pytest -n 0 -q -m "exhaustive or not exhaustive" $(RECORDED) --record
	$(BIN)/kitgen matrix --release $(basename $(lastword $(shell ls releases | grep ^v | sort -V))) --write README.md
	$(BIN)/python -m docs.rule_data
	$(BIN)/python -m docs.definition_index
	$(BIN)/python -m docs.console
	$(BIN)/python -m docs.generate

bench: $(READY) ## Compare speed with kustomize and others
	$(BIN)/python -m benchmarks

LOCKED = $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url \
	--no-emit-find-links --custom-compile-command "make lock"

lock: $(READY) ## Lock the newest versions, for running, building and developing, and the lowest that will do
	$(LOCKED) --upgrade pyproject.toml -o requirements.lock
	$(LOCKED) --upgrade --group build -c requirements.lock -o requirements-build.lock
	$(LOCKED) --upgrade pyproject.toml --group dev -c requirements.lock -c requirements-build.lock \
		-o requirements-dev.lock
	$(LOCKED) --resolution lowest-direct pyproject.toml -o requirements-lowest.lock
	$(BIN)/uv tool run --from cyclonedx-bom cyclonedx-py requirements requirements.lock \
		--pyproject pyproject.toml --output-reproducible --of JSON -o sbom.cdx.json

# Commands and units are all that calls the libraries; programs, archives and attacks do not depend on their versions.
# Most of what they need is the same, so the virtual environment starts as a copy.
lowest: $(READY) ## Run the tests with the lowest versions that kitgen says will do
	rm -rf .venv-lowest
	cp -Rp $(VENV) .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
		-r requirements-lowest.lock
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	.venv-lowest/bin/python -m pytest -n auto -m "not exhaustive and not kustomize" tests/cli tests/unit tests/snapshot

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) .venv-locked .venv-lowest .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist
