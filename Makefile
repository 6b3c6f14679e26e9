# Everything starts here. Each target sets up what it needs first and says each step in a line;
# the second time there is nothing to do and it is quick.

SHELL := /bin/sh
.DEFAULT_GOAL := help

# The first Python that really runs and that the pinned packages support.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1 \
	&& { echo $$p; exit; }; done; echo python3)

BIN := .venv/bin
IP ?= 127.0.0.1
PORT ?= 7788
PYTEST ?=
WORKERS ?= -n 2 --dist worksteal
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
	--no-emit-package torch $(if $(UPGRADE),--upgrade)

.PHONY: help setup setup-dev run demo test check format bench docs lock clean

help: ## Show what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

setup: ## Set up what the app needs
	@$(PYTHON) scripts/bootstrap.py run

setup-dev: ## Set up what tests and checks need
	@$(PYTHON) scripts/bootstrap.py dev

run: setup ## Start the UI (IP=127.0.0.1 PORT=7788)
	@$(BIN)/python webui.py --ip $(IP) --port $(PORT)

demo: setup ## Research the demo web from the command line, without a model
	@$(BIN)/leadline demo

test: setup-dev ## Run every test (PYTEST="-k name" for some)
ifeq ($(strip $(PYTEST)),)
	@$(BIN)/python -m pytest $(WORKERS)
else
	@$(BIN)/python -m pytest $(PYTEST)
endif

check: setup-dev ## Format, lint, types, layers: what CI runs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup-dev ## Bring the code into its form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup-dev ## Measure with a model that takes 1 s an answer; writes docs/benchmarks.md
	@$(BIN)/python scripts/bench.py

docs: setup ## Write the generated pages of docs/ again
	@$(BIN)/python scripts/write_docs.py

lock: setup-dev ## Resolve the locks again (UPGRADE=1 for newer versions)
	$(LOCK) pyproject.toml -o requirements/runtime.txt
	$(LOCK) pyproject.toml --group dev -o requirements/dev.txt
	$(LOCK) --group pyproject.toml:build -o requirements/build.txt

clean: ## Remove what can be made again (runs in tmp/ stay)
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist
	find . -path ./tmp -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
