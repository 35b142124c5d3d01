# make run     everything a newcomer needs: install, set up, open the app. Again: starts at once, without a network.
# make demo    the same without a terminal, then three questions
# make test    all tests        make check   linters and types        make bench   the table of speeds
#
# PYTHON       the interpreter to begin with (3.11 or later)
# VENV         where everything is installed
# TORCH_INDEX  the index of torch's CPU build; without it torch is left out where it would bring CUDA
# LLAMA_INDEX  an index of prebuilt llama-cpp-python wheels; without it that is compiled

PYTHON ?= python3
VENV ?= .venv
export TORCH_INDEX LLAMA_INDEX

BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DEVELOPMENT := $(VENV)/.installed-dev

.DELETE_ON_ERROR:
.PHONY: run demo test check format bench setup install install-dev clean

run: $(INSTALLED)
	@$(BIN)/fin-tui setup --minimal
	@$(BIN)/fin-tui

demo: $(INSTALLED)
	@$(BIN)/fin-tui setup --minimal
	@for question in \
	  "What does Apple say about its dependence on outsourcing partners?" \
	  "What were Amazon's net sales in 2025?" \
	  "How does Target describe competition?"; \
	do echo; echo "> $$question"; $(BIN)/fin-tui ask "$$question" || exit 1; done

setup: $(INSTALLED)
	@$(BIN)/fin-tui setup

test: $(DEVELOPMENT)
	@$(BIN)/fin-tui setup
	@$(BIN)/python -m pytest $(TESTS)

check: $(DEVELOPMENT)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(DEVELOPMENT)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(DEVELOPMENT)
	@$(BIN)/fin-tui setup
	@$(BIN)/python -m benchmarks.run

install: $(INSTALLED)
install-dev: $(DEVELOPMENT)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("fin-tui needs Python 3.11 or later: make PYTHON=...") if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV)

$(INSTALLED): pyproject.toml constraints.txt .ci/install.py | $(BIN)/python
	@$(BIN)/python .ci/install.py
	@touch $@

$(DEVELOPMENT): pyproject.toml constraints.txt .ci/install.py | $(BIN)/python
	@$(BIN)/python .ci/install.py --dev
	@touch $(INSTALLED) $@

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
