# Every target sets up what it needs: a virtual environment in .venv with locked versions.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help render test check lint snapshots docs bench lock clean

help: ## Show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("kitgen needs Python 3.11 or later") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

render: $(READY) ## Render all targets into overlays/
	$(BIN)/kitgen render

test: $(READY) ## Run the tests
	$(BIN)/pytest -n auto

lint: $(READY) ## Check style, types and layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test ## Everything that must hold before a change lands
	$(BIN)/kitgen render --check

snapshots: $(READY) ## Write the snapshots anew; read their diff
	$(BIN)/pytest -n 0 tests/snapshot --snapshot-update

docs: $(READY) ## Generate the reference pages
	$(BIN)/python -m docs.generate

bench: $(READY) ## Compare speed with kustomize and others
	$(BIN)/python -m benchmarks

lock: $(READY) ## Lock what is installed
	$(BIN)/python -m pip freeze --exclude-editable | grep -v '^kitgen' > requirements.lock

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist
