# Two commands matter: `make demo` shows lear at work, `make test` checks all of it.
# Each sets up what it needs in .venv; nothing outside this folder is touched.

VENV := .venv
LEAR := $(VENV)/bin/lear
STAMP := $(VENV)/.installed
# The release that the figures were measured with; pip install lear takes any from 2.4 on.
TORCH := 2.13.0
PIP := $(VENV)/bin/pip install --quiet --disable-pip-version-check

.PHONY: demo check test setup lint figures figures-cfq figures-geo ablations differences baselines free-questions results lock clean

demo: setup
	@sh docs/demo.sh $(LEAR)

# The daily loop: linter, types and the fast tests that need no benchmark; under a minute.
check: lint
	$(VENV)/bin/pytest -n 2 -m "not slow and not data"

# Everything, which is what CI runs.
test: setup lint
	@if [ -n "$$LEAR_DATA" ]; then echo "benchmarks: $$LEAR_DATA"; \
	 else echo "benchmarks: LEAR_DATA is not set; tests that need them are skipped"; fi
	$(VENV)/bin/pytest -n 2

lint: setup
	$(VENV)/bin/ruff check src tests examples
	$(VENV)/bin/ruff format --check src tests examples
	$(VENV)/bin/mypy

# The figures of docs/results.md. `lear reproduce` keeps runs in runs/reproduce and their results in docs/results/runs: what
# is finished is used again, what was cut off goes on. `lear reproduce NAME` without these flags runs everything itself.
# JOBS=2 runs two at once. All need the benchmarks; times are of one core from nothing, and `--list` tells them better.
JOBS := 1
REPRODUCE := $(LEAR) reproduce --jobs $(JOBS) --output docs/results

# COGS: the paper's recipe with its ablations, and ours: half an hour. Statistics of the data, and speed: ten minutes.
figures: setup
	$(REPRODUCE) cogs --only recipe
	$(REPRODUCE) stats speed
	$(LEAR) data check cogs
	$(LEAR) coverage cogs/test --part all
	$(LEAR) coverage cogs/gen
	$(LEAR) coverage cogs/gen_original

# CFQ: the same on two splits, learning-rate ratios, scores by length, errors: four hours.
figures-cfq: setup
	$(REPRODUCE) cfq ratios length errors --only recipe
	$(LEAR) coverage cfq/mcd1 --part all
	$(LEAR) coverage cfq/mcd2_partial --part all
	$(LEAR) data check cfq

# GEO: the paper's recipe with a table by hand and with an induced lexicon, its ablations, and ours on two splits; gold
# answers: an hour and a half.
figures-geo: setup
	$(REPRODUCE) geo --only recipe
	$(LEAR) coverage geo/query --part all
	$(LEAR) coverage geo/standard --part all
	$(LEAR) execute geo --gold
	$(LEAR) data check geo

# Only the ablations of the paper's recipe, on COGS, CFQ and GEO, three seeds each: three hours, most of it CFQ.
ablations: setup
	$(REPRODUCE) cogs cfq geo --only "recipe without"

# What each difference from the paper and its code is worth, three seeds each, and what untrained policies find: two hours.
differences: setup
	$(REPRODUCE) differences exploration

# An LSTM and a Transformer, three seeds on COGS and GEO, a quarter of an hour each on CFQ: two hours.
baselines: setup
	$(REPRODUCE) cogs cfq geo --only "trained here"

# Questions to GEO in other words than training has: how many are answered right, or wrongly answered at all. A minute.
free-questions: setup
	$(VENV)/bin/python -m tests.support.free_questions

# docs/results.md again, of the runs that are there.
results: setup
	$(REPRODUCE) all --budget 0 --page docs/results.md

setup: $(STAMP)

$(STAMP): pyproject.toml requirements-dev.txt
	@python=$$(for p in "$$PYTHON" python3.11 python3.12 python3.13 python3; do \
	   [ -n "$$p" ] && "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; \
	 done); \
	[ -n "$$python" ] || { echo "lear needs Python 3.11 or newer (set PYTHON=/path/to/python3.11)" >&2; exit 1; }; \
	echo "setting up $(VENV) with $$python" >&2; \
	$$python -m venv --clear $(VENV) || { echo "could not make $(VENV): on Debian, install python3-venv" >&2; exit 1; }
	@$(PIP) torch==$(TORCH)
	@$(PIP) --constraint requirements-dev.txt --editable '.[train,dev,sparql,plots]'
	@touch $@

# The versions of everything in the development environment, as they are installed now.
lock: setup
	@{ echo "# The development environment, exactly: made by \`make lock\`, used by \`make setup\`."; \
	   $(VENV)/bin/pip freeze --exclude-editable | grep -v '^torch=='; } > requirements-dev.txt

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
