# Everything a newcomer needs: `make run` serves, `make test` tests. Both set up what is missing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# One more than there are processors: tests that start and stop servers mostly wait.
WORKERS := $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); [ $$n -lt 3 ] && echo $$((n + 1)) || echo 4)
# What the page is made of: a change in it builds the page anew.
PAGE := $(shell find web/src web/public) $(wildcard web/*.*) web/.npmrc

# Every program starts faster from compiled files, and there are many in a run of the tests.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test check format types bench soak lock clean

help: ## Show this help
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

run: $(VENV)/run $(VENV)/page ## Set everything up and serve on http://127.0.0.1:8700
	@$(BIN)/pinakes serve

test: $(VENV)/dev $(VENV)/page $(VENV)/browser ## Set everything up and run the tests (T="-k words" chooses)
	@[ ! -d web/node_modules ] || $(BIN)/python web/npm.py run --silent test
	@$(BIN)/pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder $(T)

check: $(VENV)/dev $(VENV)/page ## Lint, format, types and layers
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports
	@$(BIN)/pytest -q -p no:cacheprovider tests/test_house_rules.py tests/page/test_api_types.py
	@[ -d web/node_modules ] || $(BIN)/python web/npm.py ci
	@$(BIN)/python web/npm.py run --silent check

format: $(VENV)/dev $(VENV)/page ## Format the code and mend what can be mended
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .
	@[ -d web/node_modules ] || $(BIN)/python web/npm.py ci
	@$(BIN)/python web/npm.py run --silent format

types: $(VENV)/dev $(VENV)/page ## Renew what the page, the Python client and the docs know of API and tools
	@$(BIN)/python -m pinakes.tools.stub > src/pinakes/tool_calls.pyi
	@$(BIN)/python -m pinakes.tools.reference > docs/tool-reference.md
	@$(BIN)/python web/openapi.py > web/src/api/openapi.json
	@[ -d web/node_modules ] || $(BIN)/python web/npm.py ci
	@$(BIN)/python web/npm.py run --silent types

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
	@rm -rf $(VENV) .pytest_cache .ruff_cache .import_linter_cache web/node_modules web/dist src/pinakes/web

$(VENV)/run: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Pinakes needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version). Use: make PYTHON=python3.12 …"; exit 1; }
	@echo "Setting up the virtual environment …"
	@$(PYTHON) -m venv $(VENV) || { echo "Could not make a virtual environment. On Debian: apt install python3-venv"; exit 1; }
	@echo "Installing dependencies (a minute or two the first time) …"
	@$(PIP) --require-hashes -r requirements.txt || \
	  { echo "Could not install the dependencies. Is a package index within reach?"; exit 1; }
	@PYTHONPATH=src $(BIN)/python -m pinakes model install || \
	  echo "Going on without the embedding model: search will be by keywords only."
	@touch $@

# Installing builds the page where its sources changed. Without a registry everything but the page still works, and
# the next run tries again.
$(VENV)/page: $(VENV)/run pyproject.toml $(PAGE)
	@echo "Building the page (a minute the first time) …"
	@if $(PIP) --no-deps -e . ; then touch $@; else \
	  echo "Going on without a newly built page: see above."; \
	  [ -x $(BIN)/pinakes ] || PINAKES_WITHOUT_PAGE=1 $(PIP) --no-deps -e . ; fi

$(VENV)/dev: $(VENV)/run requirements-dev.txt
	@echo "Installing development tools …"
	@$(PIP) --require-hashes -r requirements-dev.txt
	@touch $@

# A browser for the tests of the page, where it may be installed; where not, those tests say so and are skipped.
$(VENV)/browser: $(VENV)/run
	@command -v chromium-headless-shell >/dev/null || [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || \
	  { echo "Installing Chromium for the tests of the page …"; \
	    { apt-get update; for browser in chromium-headless-shell chromium; do \
	        apt-get install -y --no-install-recommends $$browser fonts-noto-cjk && break; done; } >/dev/null 2>&1 || true; }
	@touch $@
