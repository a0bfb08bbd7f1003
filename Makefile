# The front door. `make` alone lists what can be done.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules
# one setting a line, which $(shell) alone would join
define newline


endef
export NIX_CONFIG := $(subst |,$(newline),$(shell sh nix/settings.sh | tr '\n' '|'))

SCENARIO ?= ugv_nav_to_goal
FILE = scenarios/$(SCENARIO).yaml
RUN = nix/exec
SUITE ?= urban_driving_smoke
AGENT ?= examples/agents/rule_based_agent.py
SOURCES = lib sim bridge robots reports tests nix examples docs packs

.PHONY: help
help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

.PHONY: setup
setup: ## install Nix where it is missing, import the inputs, build the environment
	@sh nix/setup.sh

.PHONY: run
run: setup ## run a scenario live: make run SCENARIO=ugv_nav_to_goal
	@sh nix/tracked.sh $(FILE) fieldproof.toml || true
	@./fieldproof run $(FILE)

.PHONY: suite
suite: setup ## run a driving suite: make suite SUITE=urban_driving_smoke AGENT=my_agent.py
	@./fieldproof suite run scenarios/suites/$(SUITE).yaml --agent $(AGENT)

.PHONY: build
build: setup ## run it in the build sandbox, cached: make build SCENARIO=ugv_nav_to_goal
	@sh nix/tracked.sh $(FILE) fieldproof.toml
	@nix build .#$(SCENARIO) -o build/$(SCENARIO) --print-build-logs

.PHONY: test
test: setup lint ## check the code and run the tests that take under 20 seconds each
	@$(RUN) python -B -m pytest -n 2 -m "not slow"

.PHONY: test-all
test-all: setup lint ## run all tests, with the sandbox builds and the flake's own checks
	@nix flake check
	@$(RUN) python -B -m pytest -n 2

.PHONY: lint
lint: setup ## check style, types and layers
	@$(RUN) ruff check $(SOURCES) && $(RUN) ruff format --check --quiet $(SOURCES)
	@$(RUN) mypy
	@$(RUN) lint-imports

.PHONY: format
format: setup ## format the code
	@$(RUN) ruff format $(SOURCES)

.PHONY: bench
bench: setup ## measure the figures, as JSON and a table
	@$(RUN) python -B tests/bench/run.py

.PHONY: nix-lock
nix-lock: ## resolve the inputs anew and write nix/lock.json
	@python3 -B nix/lock.py

.PHONY: nix-import
nix-import: ## bring the inputs that nix/lock.json names into the Nix store
	@python3 -B nix/import_inputs.py

.PHONY: clean
clean: ## remove what was built here; runs/ and the Nix store stay
	@rm -rf build result result-*
