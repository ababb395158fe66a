# Everything a clone needs: git, make and Python 3.11 or newer. `make` alone prints what there is.

# The first interpreter that really runs (a version manager may leave dead commands on the path) and can make a venv.
PYTHON ?= $(shell for python in python3.13 python3.12 python3.11 python3; do \
	"$$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
	&& { command -v "$$python"; break; }; done)
BIN := .venv/bin
READY := .venv/.ready

.DEFAULT_GOAL := help
.PHONY: help demo test check lint types layers spelling sizes format bench chaos lock clean

help: ## Print this list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## Play a short story: remember, contradict, review, recall
	@$(BIN)/easy-data demo $(ARGS)

test: $(READY) ## Run the tests; ARGS="-k recall" narrows them
	@$(BIN)/python -m pytest $(ARGS)

check: lint types layers spelling sizes ## Run every check but the tests; `make -k check` goes on after a failure

lint: $(READY)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
types: $(READY)
	@$(BIN)/mypy
layers: $(READY)
	@$(BIN)/lint-imports --no-logo
spelling: $(READY)
	@$(BIN)/codespell
sizes: $(READY)
	@$(BIN)/python -m pytest -q tests/project/test_sizes.py

format: $(READY) ## Format the code and apply the safe fixes
	@$(BIN)/ruff check --fix-only
	@$(BIN)/ruff format

bench: $(READY) ## Measure speed and memory of embedded mode (ARGS="--memories 10000")
	@$(BIN)/python bench/embedded.py $(ARGS)

chaos: $(READY) ## Break the service on purpose and check what it promised (ARGS="--seed 2")
	@$(BIN)/python -m bench.chaos $(ARGS)

lock: $(READY) ## Resolve the pinned versions anew after pyproject.toml changed
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --custom-compile-command "make lock" \
		--extra service --extra dev --output-file requirements-dev.lock pyproject.toml

clean: ## Remove the virtual environment and every cache
	rm -rf .venv .*_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): requirements-dev.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer, with its venv module, was not found; set PYTHON=" >&2; exit 1; }
	@echo "Preparing .venv with $(PYTHON); the first time takes a minute or two."
	@"$(PYTHON)" -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@touch $@
