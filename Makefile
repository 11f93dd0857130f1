# Every target makes what it needs in .venv, from a bare clone with Python >= 3.10,
# a C++ compiler and make. Nothing is installed outside .venv.

PYTHON ?= python3
# One exact release: a range could pull gigabytes of GPU libraries.
TORCH ?= torch==2.13.0
JOBS ?= 2
ARGS ?=
CASE ?= --list
# Installed packages, unpacked folders, or versions such as torch==2.13.0, which pip then fetches.
RELEASES ?= torch

BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check
PROJECT := pyproject.toml tracelens/__init__.py $(wildcard hatch_build.py)

DEMO := corpus/lab/2.13.0/so-zero/input.log
# The one accusation in the lab is seq-static-fail, whose label contradicts its own log: see tests/test_corpus.py.
REQUIRE := lab.cause=98 lab.label=98 reports.cause=98 reports.label=96 reports.evidence=95 \
	lab.false_accusations=1 reports.false_accusations=0 lab.crashes=0 reports.crashes=0 \
	decoys.cause=100 decoys.label=100 decoys.false_accusations=0 decoys.crashes=0
YAMLLINT := {extends: default, rules: {line-length: disable, document-start: disable, \
	braces: {max-spaces-inside: 1}, comments: {min-spaces-from-content: 1}, truthy: {check-keys: false}, \
	indentation: {spaces: 2, indent-sequences: whatever}}}

.PHONY: help demo test browser lint format score bench lab lab-machine verify-lab inventory coverage wheel clean

help:  ## Show what can be made
	@sed -n 's/^\([a-z-]*\):.*##/\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: .venv/.installed  ## Diagnose one real crash of the corpus
	@$(BIN)/tracelens analyze $(DEMO)

test: .venv/.dev .venv/.torch  ## Run the tests
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile $(ARGS)

browser: .venv/.dev .venv/.torch  ## Test the HTML report in Chromium (needs node, npm and chromium)
	mkdir -p .venv/browser && cp tests/report/browser/package.json .venv/browser/ && npm install --silent --prefix .venv/browser
	$(BIN)/python -m pytest tests/report/test_page_in_browser.py $(ARGS)

lint: .venv/.dev  ## Run every static check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/yamllint --strict -d '$(YAMLLINT)' rules corpus taxonomy.yml .pre-commit-config.yaml
	$(BIN)/codespell

format: .venv/.dev  ## Lay the code out and mend what can be mended safely
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

score: .venv/.installed  ## Score the installed command on the corpus
	$(BIN)/python corpus/score.py $(ARGS) --require $(REQUIRE)

bench: .venv/.fast  ## Measure speed and memory of the installed command
	$(BIN)/python -m bench $(ARGS)

lab: .venv/.dev .venv/.torch  ## Break a real torch and try fixes (as root): CASE=all or names
	$(BIN)/python -m corpus.faults $(CASE)

verify-lab: .venv/.dev .venv/.torch  ## Have verify judge fixes of real faults (as root): CASE=all or names
	$(BIN)/python -m corpus.faults.verify_lab $(CASE)

inventory: .venv/.dev .venv/.torch  ## Compare what releases can say with the map: RELEASES="torch==2.13.0"
	$(BIN)/python -m corpus.lab.inventory --download build/releases $(RELEASES) $(ARGS)

lab-machine: .venv/.dev .venv/.torch  ## Let run, doctor and cache check name faults (as root): CASE=all or names
	$(BIN)/python -m corpus.faults.machine $(CASE)

coverage: .venv/.dev .venv/.torch  ## Run the tests and show what they miss
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --cov --cov-report=term-missing $(ARGS)

wheel: .venv/.dev  ## Build the wheel and the source archive into dist/
	$(BIN)/python -m build --outdir dist .

clean:  ## Remove everything that was made
	rm -rf .venv build dist .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

.venv/.created:
	$(PYTHON) -m venv .venv
	@touch $@

.venv/.installed: .venv/.created $(PROJECT)
	$(PIP) --editable .
	@touch $@

.venv/.fast: .venv/.installed
	$(PIP) --editable '.[fast]'
	@touch $@

.venv/.dev: .venv/.created $(PROJECT)
	$(PIP) --editable '.[dev]'
	@touch $@ .venv/.installed

.venv/.torch: .venv/.created
	$(PIP) '$(TORCH)'
	@touch $@
