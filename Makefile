# Everything lives in .venv; `make serve` and `make test` set it up by themselves on a fresh machine.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: help setup serve test lint types bench soak lock clean
.DEFAULT_GOAL := help

help: ## say what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

setup: $(READY) ## make .venv with everything in it

$(READY): requirements.lock pyproject.toml
	@PYTHON="$(PYTHON)" sh deploy/setup.sh .venv
	@touch $(READY)

serve: setup ## serve on http://127.0.0.1:8000, tables in ./comitium.sqlite
	@$(BIN)/comitium serve $(ARGS)

test: setup lint ## lint, types, import contracts, every test but the long campaigns
	@$(BIN)/python -m pytest -m "not soak" -n auto $(ARGS)

lint: setup types ## style and import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-cache

types: setup
	@$(BIN)/mypy

bench: setup ## measure against peers in one run, write the figures
	@$(BIN)/python -m bench $(ARGS)

soak: setup ## the long campaigns
	@$(BIN)/python -m pytest -m soak -n auto $(ARGS)

lock: setup ## write requirements.lock anew from pyproject.toml
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --extra dev --generate-hashes \
	  --no-emit-index-url --no-header --output-file requirements.lock pyproject.toml

clean: ## remove .venv and caches
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
