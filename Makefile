# Every target makes what it needs: the first one on a fresh machine creates .venv, later ones reuse it,
# and a changed pyproject.toml installs again.
#
#   make run      the main job
#   make test     lint, format, types, tests
#   make test-all the same with the slow tests, and every kernel of our programs replayed
#   make soak     all attacks in turn, on all cores, from where the last soak stopped (SOAK="--minutes 480")
#   make faults   everything that can go wrong on a GPU, at every place, without one (some minutes)
#   make bench    every figure as a ratio against the peers that are installed (BENCH="--quick --case gemm")
#   make peers    install those peers (torch, jax, tinygrad; more than 1 GB)
#   make lint     only lint, format and types
#   make format   let the formatter decide
#   make clean    remove build outputs and tool caches (distclean: .venv as well)

SHELL := /bin/bash

# The newest interpreter is not always the one with wheels, so `python3` comes first when it is new enough.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14; do \
  command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
  && { echo $$p; break; }; done)

VENV := .venv
PY := $(VENV)/bin/python
BASE := $(VENV)/.installed-base
DEV := $(VENV)/.installed-dev
PIP := $(PY) -m pip --disable-pip-version-check --quiet

# The tests start some hundred processes. Where no bytecode may lie beside the sources, it is kept in build/:
# each of them would compile every module again, which is half of the time to the first tensor.
ifdef PYTHONDONTWRITEBYTECODE
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX ?= $(CURDIR)/build/bytecode
endif

RUN ?=
BENCH ?=
BENCH_PYTHON ?= $(PY)
PYTEST ?=
SOAK ?= --minutes 480
# Test files are spread over processes, each file in one of them; tests/conftest.py puts the longest first.
SPREAD := --dist loadfile --no-loadscope-reorder
JOBS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$((n < 4 ? n : 4)))

.DEFAULT_GOAL := help
.PHONY: help run test suite test-all soak faults bench peers lint style types format clean distclean
.DELETE_ON_ERROR:

help:
	@sed -n 's/^#   //p' Makefile

run: $(BASE)
	@$(PY) -m saccade run $(RUN)

# Types take a minute of one core where nothing is cached; the tests need not wait for them.
test: style
	@$(MAKE) --no-print-directory -j2 types suite

suite: $(DEV)
	@echo "==> tests"
	@$(PY) -m pytest -q -n $(JOBS) $(SPREAD) -m 'not slow' $(PYTEST)

test-all: lint
	@echo "==> all tests"
	@$(PY) -m pytest -q -n $(JOBS) $(SPREAD) $(PYTEST)
	@echo "==> every kernel of our programs"
	@$(PY) -m saccade kernels dump build/kernels
	@$(PY) -m saccade kernels check build/kernels --jobs $(JOBS)

soak: $(DEV)
	@mkdir -p build
	@$(PY) -m saccade check soak --state build/soak.json --jobs $(JOBS) $(SOAK)

faults: $(DEV)
	@$(PY) -m tests.runtime.fault_plan

lint: style types

style: $(DEV)
	@echo "==> ruff check"
	@$(PY) -m ruff check .
	@echo "==> ruff format"
	@$(PY) -m ruff format --check .

types: $(DEV)
	@echo "==> mypy --strict"
	@$(PY) -m mypy

format: $(DEV)
	@$(PY) -m ruff check --fix-only --quiet .
	@$(PY) -m ruff format .

bench: $(DEV)
	@$(PY) -m bench --peer-python $(BENCH_PYTHON) $(BENCH)

peers: $(DEV)
	@echo "==> installing the peers that the benchmark compares with"
	@$(PIP) install --editable '.[bench]'

$(BASE): pyproject.toml
	@if [ -z "$(PYTHON)" ]; then \
	  echo "saccade needs Python 3.11 or later; none was found. Install one, or: make PYTHON=/path/to/python3.11" >&2; exit 1; fi
	@if ! $(PY) -c 'import pip' >/dev/null 2>&1; then \
	  echo "==> creating $(VENV) with $$($(PYTHON) --version)"; \
	  $(PYTHON) -m venv --clear $(VENV) || { \
	    echo "could not create a virtual environment; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }; fi
# An old pip resolves z3-solver to a source distribution that needs a C++ compiler, so pip itself comes first.
	@echo "==> upgrading pip"
	@$(PIP) install --upgrade pip
	@echo "==> installing saccade"
	@$(PIP) install --editable .
	@touch $@

$(DEV): pyproject.toml $(BASE)
	@echo "==> installing the tools for tests"
	@$(PIP) install --editable '.[dev]'
	@touch $@

clean:
	@rm -rf build dist *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
	@find . -path ./$(VENV) -prune -o -name __pycache__ -type d -print0 | xargs -0 rm -rf
	@echo "removed build outputs and tool caches; $(VENV) is kept (make distclean removes it)"

distclean: clean
	@rm -rf $(VENV)
