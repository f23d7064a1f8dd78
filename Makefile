# Every target sets up what it needs. `make help` lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
FAMILY ?=
REPO_ID ?=
YES ?=
# What a release demands of the project before it builds.
RELEASE_CHECKS ?= check test

.PHONY: help setup build verify test check format compat rehearse release bench lock clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*  ## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*  ## /\1\t/' | expand -t 12

setup: $(READY)  ## make .venv with the locked dependencies

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "error: Python 3.11 or newer is needed and '$(PYTHON)' is not; run: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 3; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "error: '$(PYTHON)' lacks the module venv; install it (on Debian: apt-get install python3-venv) and run this again" >&2; exit 3; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

build: $(READY)  ## build the release folders into data/build (one family: FAMILY=closebench)
	$(BIN)/closebench-hub build $(FAMILY)

verify: $(READY)  ## prove the release folders in data/build (one family: FAMILY=closebench)
	$(BIN)/closebench-hub verify $(FAMILY)

test: $(READY)  ## run the tests
	$(BIN)/python -m pytest

check: $(READY)  ## lint, type-check, and look for drift in generated files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check
	$(BIN)/python -m compat --check
	$(BIN)/closebench-hub baselines --check
	$(BIN)/python -m pipeline.card.chart --check

format: $(READY)  ## format the code and rewrite generated files
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format .
	$(BIN)/python docs/generate.py
	$(BIN)/python -m pipeline.card.chart

compat: $(READY)  ## load the built releases with every reader and compare each value with the JSONL
	$(BIN)/closebench-hub build
	$(BIN)/python -m compat --write
	$(BIN)/python -m compat.hub_matrix data/build/closebench

rehearse: $(READY)  ## publish a family to a Hub on this machine, every step shown (FAMILY=closebench)
	$(BIN)/closebench-hub rehearse $(or $(FAMILY),closebench)

release: $(READY)  ## from source to a verified tag on the Hub: FAMILY=closebench REPO_ID=me/closebench [YES=1]
	@test -n "$(FAMILY)" -a -n "$(REPO_ID)" || \
	  { echo "error: name both, for example: make release FAMILY=closebench REPO_ID=me/closebench" >&2; exit 2; }
	@test -n "$(YES)" -o -t 0 || \
	  { echo "error: there is no terminal to ask on; look at the plan with closebench-hub push --dry-run, then add YES=1" >&2; exit 2; }
	$(BIN)/closebench-hub access --repo-id "$(REPO_ID)" --create-repo
	$(if $(RELEASE_CHECKS),$(MAKE) $(RELEASE_CHECKS))
	$(BIN)/closebench-hub build "$(FAMILY)"
	$(BIN)/closebench-hub verify "$(FAMILY)"
	$(BIN)/closebench-hub push "$(FAMILY)" --repo-id "$(REPO_ID)" --create-repo $(if $(YES),--yes)

bench: $(READY)  ## measure the build against the published and the usual way, side by side
	$(BIN)/python bench/run.py

lock: $(READY)  ## resolve requirements.lock anew
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --upgrade \
	  --generate-hashes --no-emit-index-url --custom-compile-command "make lock" --quiet -o requirements.lock

clean:  ## remove .venv, builds and caches
	rm -rf $(VENV) .venv-compat data/build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
