# make run     everything a newcomer needs: install, set up, open the app. Again: starts at once, without a network.
# make demo    the same without a terminal, then three questions
# make test    all tests        make check   linters and types        make bench   the table of speeds
# make wheel   the package      make faults  kills at random moments  make fuzz    hostile input       make mutants  tests of the tests
# make team    a team's corpus beside the library: filled by Ray, asked the same questions
# make train     all weights that wordings train, from the filings that FIN_TUI_CORPUS names: 90 minutes on two cores
# make excerpts  the weights that read lines and a question together: three hours and a half on two cores
# make questions the weights that find passages and rows by a conversation: an hour on two cores
# make paragraphs the weights that tell which paragraph answers: two hours on two cores
# make natural   questions of every kind as people type them, over the filings that FIN_TUI_CORPUS names; JUDGE=FILE for a judge
# make scale   100,000 passages and more      make soak  200 questions in the app      make coverage      make thorough  slow checks
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
AUDIT := $(VENV)/.installed-audit
TEAM := $(VENV)/.installed-team
TRAINING := $(VENV)/.installed-training

.DELETE_ON_ERROR:
.PHONY: run demo test check format bench scale natural train excerpts questions paragraphs team soak faults fuzz mutants coverage thorough wheel setup install install-dev clean

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

scale: $(DEVELOPMENT)
	@$(BIN)/python -m benchmarks.scale

train: $(TRAINING)
	@$(if $(FIN_TUI_CORPUS),,$(error FIN_TUI_CORPUS must name the folder of filings and questions))
	@$(BIN)/fin-tui setup
	@$(BIN)/fin-tui add --no-embed "$$FIN_TUI_CORPUS/filings" "$$FIN_TUI_CORPUS/pdf" > /dev/null
	@FIN_TUI_HOME="$(or $(FIN_TUI_HOME),$(CURDIR))" $(BIN)/python -m training.train --to build/reader
	@$(BIN)/python -m training.export build/reader
	@$(BIN)/python -m training.heads --write
	@$(BIN)/python -m training.asks --write
	@FIN_TUI_HOME="$(or $(FIN_TUI_HOME),$(CURDIR))" $(BIN)/python -m training.meanings --write
	@$(BIN)/python -m training.pages --write
	@$(BIN)/fin-tui reindex
	@FIN_TUI_HOME="$(or $(FIN_TUI_HOME),$(CURDIR))" $(BIN)/python -m training.cross_encoder --to fin_tui/retrieval/cross_encoder_weights
	@FIN_TUI_HOME="$(or $(FIN_TUI_HOME),$(CURDIR))" $(BIN)/python -m training.fit_ranker --write
	@FIN_TUI_HOME="$(or $(FIN_TUI_HOME),$(CURDIR))" $(BIN)/python -m training.fit_readings --write

excerpts: $(TRAINING)
	@$(if $(FIN_TUI_CORPUS),,$(error FIN_TUI_CORPUS must name the folder of filings and questions))
	@$(BIN)/fin-tui setup
	@$(BIN)/fin-tui add --no-embed "$$FIN_TUI_CORPUS/filings" "$$FIN_TUI_CORPUS/pdf" > /dev/null
	@FIN_TUI_HOME="$(or $(FIN_TUI_HOME),$(CURDIR))" $(BIN)/python -m training.excerpt_reader --write
	@FIN_TUI_HOME="$(or $(FIN_TUI_HOME),$(CURDIR))" $(BIN)/python -m training.read_out --write

questions: $(TRAINING)
	@$(if $(FIN_TUI_CORPUS),,$(error FIN_TUI_CORPUS must name the folder of filings and questions))
	@$(BIN)/fin-tui setup
	@$(BIN)/fin-tui add "$$FIN_TUI_CORPUS/filings" "$$FIN_TUI_CORPUS/pdf" > /dev/null
	@FIN_TUI_HOME="$(or $(FIN_TUI_HOME),$(CURDIR))" $(BIN)/python -m training.question_encoder --write

paragraphs: $(TRAINING)
	@$(if $(FIN_TUI_CORPUS),,$(error FIN_TUI_CORPUS must name the folder of filings and questions))
	@$(BIN)/fin-tui setup
	@$(BIN)/fin-tui add "$$FIN_TUI_CORPUS/filings" "$$FIN_TUI_CORPUS/pdf" > /dev/null
	@FIN_TUI_HOME="$(or $(FIN_TUI_HOME),$(CURDIR))" $(BIN)/python -m training.paragraph_reader --write
	@FIN_TUI_HOME="$(or $(FIN_TUI_HOME),$(CURDIR))" $(BIN)/python -m training.answers
	@FIN_TUI_HOME="$(or $(FIN_TUI_HOME),$(CURDIR))" $(BIN)/python -m training.leading --write

natural: $(DEVELOPMENT)
	@test -d "$$FIN_TUI_CORPUS/qa" || { echo "FIN_TUI_CORPUS names no folder with filings/, pdf/ and qa/." >&2; exit 2; }
	@$(BIN)/fin-tui setup --minimal
	@$(BIN)/fin-tui add "$$FIN_TUI_CORPUS/filings" "$$FIN_TUI_CORPUS/pdf"
	@$(BIN)/fin-tui eval "$$FIN_TUI_CORPUS/qa/natural.jsonl" $(foreach part,aside development training,--part training/data/natural_parts.json:$(part)) \
	  $(if $(JUDGE),--judge-out "$(JUDGE)")

team: $(TEAM)
	@$(BIN)/fin-tui setup --minimal
	@timeout 900 $(BIN)/python -m benchmarks.team --seconds 780 $(if $(FIN_TUI_HOME),--home "$(FIN_TUI_HOME)")

soak: $(DEVELOPMENT)
	@$(BIN)/fin-tui setup --minimal
	@$(BIN)/python -m benchmarks.soak

faults: $(DEVELOPMENT)
	@$(BIN)/fin-tui setup --minimal
	@$(BIN)/python -m tests.faults --kills $(or $(KILLS),100)

fuzz: $(AUDIT)
	@$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),6)

mutants: $(AUDIT)
	@$(BIN)/python -m benchmarks.mutants

thorough: $(DEVELOPMENT)
	@FIN_TUI_THOROUGH=1 $(BIN)/python -m pytest tests/integration/test_xbrl_independent.py tests/integration/test_facts_corpus.py \
	  tests/ui/test_repaint.py

coverage: $(DEVELOPMENT)
	@$(BIN)/fin-tui setup
	@$(BIN)/python -m pytest --cov --cov-report=term:skip-covered $(TESTS)

wheel: $(DEVELOPMENT)
	@$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

install: $(INSTALLED)
install-dev: $(DEVELOPMENT)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("fin-tui needs Python 3.11 or later: make PYTHON=...") if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV)

$(INSTALLED): pyproject.toml constraints.txt .ci/install.py | $(BIN)/python
	@$(BIN)/python .ci/install.py
	@touch $@

$(DEVELOPMENT): pyproject.toml constraints.txt .ci/install.py | $(BIN)/python
	@$(BIN)/python .ci/install.py development
	@touch $(INSTALLED) $@

$(AUDIT): pyproject.toml constraints.txt .ci/install.py | $(BIN)/python
	@$(BIN)/python .ci/install.py development audit
	@touch $(INSTALLED) $(DEVELOPMENT) $@

$(TEAM): pyproject.toml constraints.txt .ci/install.py | $(BIN)/python
	@$(BIN)/python .ci/install.py development team
	@touch $(INSTALLED) $(DEVELOPMENT) $@

$(TRAINING): pyproject.toml constraints.txt .ci/install.py | $(BIN)/python
	@$(BIN)/python .ci/install.py development training
	@touch $(INSTALLED) $(DEVELOPMENT) $@

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
