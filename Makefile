# Two commands matter: make demo, make test. Each sets up what it needs, once.
.PHONY: demo console test test-real attack lint format docs bench chaos tasks simulate days mutation setup

# What was compiled once is kept, whatever the shell says: most of these start Python a hundred times.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX ?= $(CURDIR)/.cache/python

demo:      ## everything on simulated clouds, in one process; ARGS="--stay" keeps it open
	@scripts/setup run
	@scripts/console
	@.venv/bin/python -m setpoint demo $(ARGS)

console:         ## build the web console into src/setpoint/console; nothing to do the second time
	@scripts/console

test: setup      ## format, lint, types, layers, tests: minutes, no system packages
	@scripts/check

test-real: setup ## the same world on real servers
	@scripts/test-real

attack: setup    ## attacks over HTTP and the command line, in full, on SQLite and on PostgreSQL with two replicas; shows its figures
	@SETPOINT_ATTACK=full .venv/bin/python -m pytest -q -s --timeout 3600 tests/attack

lint: setup      ## all that make test checks, except the tests
	@scripts/check format lint types layers

format: setup    ## rewrite the code the way the checks want it
	@.venv/bin/ruff check --fix . && .venv/bin/ruff format .

docs: setup      ## regenerate the reference from the tables of the source, build the manual into site/
	@scripts/setup docs
	@scripts/docs --site

bench:           ## ours, peer and floor side by side, in an environment of its own; ARGS="queue --backlog" for a part
	@scripts/setup bench
	@.bench/bin/python -m bench $(or $(ARGS),all)

KILLS ?= 200
FAULTS ?= 300
ROUNDS ?= 200
chaos: setup     ## KILLS=N kills, on PostgreSQL and on SQLite; FAULTS=N faults that must heal; ROUNDS=N cuts of a watch
	@SETPOINT_KILLS=$(KILLS) SETPOINT_FAULTS=$(FAULTS) SETPOINT_ROUNDS=$(ROUNDS) .venv/bin/python -m pytest -q -s --timeout 3600 \
		tests/chaos tests/e2e/test_kills.py

TASKS ?= 500
tasks: setup     ## TASKS=N tasks of five steps through KILLS=N kills, on each runner
	@SETPOINT_TASKS=$(TASKS) SETPOINT_KILLS=$(KILLS) .venv/bin/python -m pytest -q -s --timeout 3600 \
		tests/runners/test_tasks_under_kills.py

SEEDS ?= 1000
simulate: setup  ## SEEDS=N seeded worlds on all cores, those that failed once first; SEED=N plays one; PLANTED=1 looks for planted bugs
	@PYTHONPATH=tests .venv/bin/python -m $(if $(PLANTED),simulation.hunt,simulation $(if $(SEED),$(SEED) --trace,--seeds $(SEEDS) --counters --keep))

DAYS ?= 200
days: setup      ## DAYS=N operator's days on a loop file and on the platform, what was held and why; SEED=N begins there
	@PYTHONPATH=tests .venv/bin/python -m days --days $(DAYS) $(if $(SEED),--first $(SEED))

mutation: setup  ## guards and approvals must kill every mutant; ARGS="--sample 20" for a small dose
	@.venv/bin/python scripts/mutation.py $(ARGS)

setup:           ## make .venv with what is pinned in requirements/; nothing to do the second time
	@scripts/setup test
