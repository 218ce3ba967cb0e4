# Every task of a user or a contributor is one target; `make help` lists them.

PYTHON ?= python3
VENV ?= .venv
PORT ?= 5006
LAB_PORT ?= 8888
# Options for pip when it installs torch, say --index-url with PyTorch's index of CPU builds.
TORCH_OPTIONS ?=
# What a container has beside the base; with more than app it has torch, too.
EXTRAS ?= app
# Options for pytest, say -k word or -x.
PYTEST_OPTIONS ?=
# Processes that run tests side by side; 0 runs them in this one, as a debugger needs it. One more
# than most machines have cores, because tests in a browser wait about half of their time.
WORKERS ?= 3
# Runs of `make stress`, and the tests that it runs; without TESTS those of changed files.
TIMES ?= 20
TESTS ?=
# Threads of each for matrix products: small models lose more by waiting for another thread.
OMP_NUM_THREADS ?= 1
# For how long the long tests run, and which part of them.
MINUTES ?= inf
SHARD ?= 1/1
# What the tests of a change may take, in seconds of one process.
SECONDS ?= 60

BIN := $(VENV)/bin
# Tools that look things up in a package index.
TOOLS := build/tools
# With the certificates that the machine trusts, as pip does.
LOCK := UV_SYSTEM_CERTS=1 $(TOOLS)/bin/uv pip compile --quiet --no-config --no-header --no-annotate \
	--generate-hashes --python $(BIN)/python
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
INSTALLED_FROM := pyproject.toml constraints.txt hatch_build.py \
	$(wildcard widgets/jupyter_server_config.d/*)
PYTEST := $(BIN)/python -m pytest --numprocesses=$(WORKERS)
# CI=true runs what failed once more, alone; what failed at first is kept in build/flakes.csv.
SECOND_RUN := $(if $(CI),$(BIN)/python tools/second_run.py --failures=build/flakes.csv)
LEDGER := $(BIN)/python tools/validate.py
AFFECTED := $(BIN)/python tools/affected.py
SOURCES := biaslab widgets train tests tools benchmarks lessons docs hatch_build.py

# Every process that runs tests collects all of them, which takes three times as long uncompiled.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run lab setup lint lint-style lint-types lint-house test stress validate validate-status check affected map mutants real findings front-ends durations bench format budget js contract recorded constraints lock audit sbom dist image space notebooks replication \
	screenshots docs browser clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(VENV)/run.stamp js ## Serve the app on 127.0.0.1 and open it (PORT=5006)
	$(BIN)/biaslab serve --port $(PORT) --open

lab: $(VENV)/run.stamp js ## Open the lessons in JupyterLab on 127.0.0.1 (LAB_PORT=8888)
	$(BIN)/biaslab lab --port $(LAB_PORT)

setup: $(VENV)/dev.stamp js ## Install all that a contributor needs into .venv and build the front end

test stress validate durations check affected map: export OMP_NUM_THREADS := $(OMP_NUM_THREADS)

test: setup browser ## Run the tests (PYTEST_OPTIONS="-k word")
	$(BIN)/python tools/front_end.py run --silent test
	$(SECOND_RUN) $(PYTEST) $(PYTEST_OPTIONS)

stress: setup browser ## Run changed tests, or TESTS="...", 20 times beside a busy machine (TIMES=20)
	$(BIN)/python tools/stress.py --times=$(TIMES) $(TESTS)

validate: setup browser ## Run the long tests that are not valid any more (MINUTES=30, SHARD=2/6)
	$(LEDGER) run --minutes $(MINUTES) --shard $(SHARD)

validate-status: setup ## Count which long tests are valid for this commit (REQUIRE=--require-all)
	$(LEDGER) status $(REQUIRE)

check: setup ## Run what protects a bench without a server, in some 20 s (BENCH=rating)
	$(AFFECTED) check $(BENCH)

affected: setup browser ## Run the tests that a change can break (BASE=origin/main, SECONDS=60)
	$(AFFECTED) run --workers $(WORKERS) --seconds $(SECONDS) --base=$(BASE)

map: setup browser ## Run the tests and keep what each file of them executes in tests/map.csv
	$(AFFECTED) map --workers $(WORKERS)

mutants: setup ## Change the product in small places, and count the changes that a test notices
	$(BIN)/python tools/mutants.py

real: $(VENV)/run.stamp ## Fetch models that people use, for tests and findings (MODELS=gemma3-270m)
	$(BIN)/python tools/real.py $(MODELS)

front-ends: setup ## Fetch the front ends of VS Code and ipywidgets' HTML manager, for their test
	$(BIN)/python tools/front_ends.py

durations: setup browser ## Run the tests and keep what each took in tests/durations.csv
	$(PYTEST) --durations-table=tests/durations.csv

bench: setup browser ## Measure and write docs/guide/benchmarks.md
	$(PIP) -e ".[bench]"
	$(BIN)/python -m benchmarks

lint: lint-style lint-types lint-house ## Check style, types and import rules, in Python and in the front end (-j2: side by side)

lint-style: setup
	$(BIN)/ruff check $(wildcard $(SOURCES))
	$(BIN)/ruff format --check $(wildcard $(SOURCES))
	$(BIN)/lint-imports
	$(BIN)/python tools/house.py --circles
	$(BIN)/python tools/rooms.py --check
	$(BIN)/python tools/house.py --budget
	$(BIN)/python tools/flaky_patterns.py
	$(BIN)/python tools/front_end.py run --silent check

lint-types: setup
	$(BIN)/mypy

lint-house: setup
	$(BIN)/python tools/house_checks.py

format: setup ## Put all sources into the one format
	$(BIN)/ruff check --fix-only $(wildcard $(SOURCES))
	$(BIN)/ruff format $(wildcard $(SOURCES))
	$(BIN)/python tools/front_end.py run format

budget: setup ## Lower the lines that each room may have to those that it has (tools/budget.toml)
	$(BIN)/python tools/house.py --lower

js: $(VENV)/run.stamp ## Build the front end, if its sources changed
	@$(BIN)/python tools/front_end.py

contract: $(VENV)/run.stamp ## Write the TypeScript state interfaces from the Python state records
	$(BIN)/python tools/contract.py

recorded: setup browser ## Record what the benches answer, and how high they are, for tests and frames
	$(BIN)/python tools/record_answers.py
	$(BIN)/python tools/frame_heights.py

constraints: setup ## Pin what is installed now in constraints.txt, after it was tested
	$(BIN)/python tools/constraints.py

lock: setup $(TOOLS)/made.stamp ## Write the hashes of all that is pinned in locks/
	$(LOCK) --no-deps constraints.txt --output-file locks/everything.txt
	$(LOCK) --constraints constraints.txt pyproject.toml --output-file locks/base.txt
	printf 'build\nhatchling\n' | $(LOCK) --constraints constraints.txt - --output-file locks/build.txt

audit: $(VENV)/run.stamp $(TOOLS)/made.stamp ## Look up known vulnerabilities of what is pinned
	status=0; \
	$(TOOLS)/bin/pip-audit --strict --disable-pip --requirement locks/everything.txt || status=1; \
	$(BIN)/python tools/front_end.py audit || status=1; \
	exit $$status

sbom: setup $(TOOLS)/made.stamp ## Write the bill of materials in build/biaslab.cdx.json (CycloneDX)
	$(TOOLS)/bin/cyclonedx-py environment $(BIN)/python --pyproject pyproject.toml \
		--output-reproducible --output-file build/biaslab.cdx.json
	$(BIN)/python tools/sbom.py build/biaslab.cdx.json

dist: setup ## Build wheel and archive in dist/, and try both in an empty environment
	$(BIN)/python tools/dist.py

image: ## Build a container of the served app with Docker (EXTRAS=app,lm,bayes for all bundled models)
	docker build --tag biaslab --build-arg EXTRAS=$(EXTRAS) \
		--build-arg TORCH_OPTIONS="$(TORCH_OPTIONS)" .

space: ## Write the files of a Hugging Face Space, which builds the container, in build/space
	rm -rf build/space && mkdir -p build/space
	git archive HEAD | tar -x -C build/space
	cp hosting/README.md build/space/README.md

replication: $(VENV)/run.stamp ## Compute the tables and pictures of docs/guide/replication.md anew
	$(BIN)/python tools/replication.py

findings: real ## Compute docs/findings.md anew: what is found in models that people use
	$(BIN)/python tools/findings.py

notebooks: $(VENV)/run.stamp ## Write the lessons' notebooks from their percent sources
	$(BIN)/python tools/notebooks.py

docs: $(VENV)/docs.stamp ## Build the documentation with the API reference in build/docs
	$(BIN)/python -m sphinx -W --keep-going -q -d build/doctrees docs build/docs

screenshots: setup browser ## Take the pictures of the docs from the running app
	$(BIN)/python tools/screenshots.py

browser: $(VENV)/dev.stamp
	@$(BIN)/python tools/chromium.py

clean: ## Remove everything that make made
	rm -rf $(VENV) build dist test-results docs/api js/node_modules
	rm -f widgets/biaslab_widgets/static/*.js widgets/biaslab_widgets/static/*.css \
		widgets/biaslab_widgets/static/*.map widgets/biaslab_widgets/static/sources.sha256
	rm -rf widgets/biaslab_widgets/static/app widgets/biaslab_widgets/static/fonts
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find $(wildcard $(SOURCES)) -name __pycache__ -type d -prune -exec rm -rf {} +

# Beside the environment, so that what they bring is neither pinned nor audited.
$(TOOLS)/made.stamp:
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check \
		uv pip-audit cyclonedx-bom
	@touch $@

# A stamp is written last, so an interrupted installation is taken up again.
$(VENV)/made.stamp:
	@$(PYTHON) tools/check_python.py
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/run.stamp: $(VENV)/made.stamp $(INSTALLED_FROM)
	@echo "Installing into $(VENV); the first time this takes some minutes."
	$(PIP) $(TORCH_OPTIONS) torch
	@package="$$($(BIN)/python tools/front_end.py --needs)"; \
		test -z "$$package" || $(PIP) "$$package"
	@$(BIN)/python tools/front_end.py
	$(PIP) -e ".[all]"
	@# JupyterLab would ask on its page whether it may fetch news.
	$(BIN)/jupyter labextension disable --level=sys_prefix \
		@jupyterlab/apputils-extension:announcements 2> /dev/null
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp
	$(PIP) -e ".[all,test,dev]"
	@# Compiled once here, or else by every process that runs tests.
	-@$(BIN)/python -m pytest --collect-only -qq -n0 > /dev/null
	@touch $@

$(VENV)/docs.stamp: $(VENV)/run.stamp
	$(PIP) -e ".[docs]"
	@touch $@
