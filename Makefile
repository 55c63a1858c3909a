# Everything a newcomer needs: `make run` serves, `make test` tests. Both set up what is missing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help run test check format bench soak lock clean

help: ## Show this help
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

run: $(VENV)/run ## Set everything up and serve on http://127.0.0.1:8700
	@$(BIN)/pinakes serve

test: $(VENV)/dev ## Set everything up and run the tests (T="-k words" chooses)
	@$(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist loadfile $(T)

check: $(VENV)/dev ## Lint, format, types and layers
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports
	@$(BIN)/pytest -q -p no:cacheprovider tests/test_house_rules.py

format: $(VENV)/dev ## Format the code and mend what can be mended
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/dev ## Run the benchmarks; they print ratios
	@$(BIN)/python -m bench

soak: $(VENV)/dev ## Kill everything at random, then send damaged files (S="--files FOLDER …")
	@$(BIN)/python -m bench.soak $(S)

lock: $(VENV)/dev ## Pin the newest versions that fit pyproject.toml
	@$(BIN)/pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-annotate --no-emit-index-url \
	  --python-version 3.11 pyproject.toml -o requirements.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-annotate --no-emit-index-url \
	  --python-version 3.11 --group dev -c requirements.txt -o requirements-dev.txt

clean: ## Remove the virtual environment and caches
	@rm -rf $(VENV) .pytest_cache .ruff_cache .import_linter_cache

$(VENV)/run: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Pinakes needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version). Use: make PYTHON=python3.12 …"; exit 1; }
	@echo "Setting up the virtual environment …"
	@$(PYTHON) -m venv $(VENV) || { echo "Could not make a virtual environment. On Debian: apt install python3-venv"; exit 1; }
	@echo "Installing dependencies (a minute or two the first time) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt || \
	  { echo "Could not install the dependencies. Is a package index within reach?"; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@$(BIN)/pinakes model install || echo "Going on without the embedding model: search will be by keywords only."
	@touch $@

$(VENV)/dev: $(VENV)/run requirements-dev.txt
	@echo "Installing development tools …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@
