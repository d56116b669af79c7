# Two commands matter: `make demo` shows lear at work, `make test` checks all of it.
# Each sets up what it needs in .venv; nothing outside this folder is touched.

VENV := .venv
LEAR := $(VENV)/bin/lear
STAMP := $(VENV)/.installed
# The release that the figures were measured with; pip install lear takes any from 2.4 on. It is the one package
# without a hash: PyPI's build, the one without CUDA of download.pytorch.org and one in a local folder are different
# files of this version, and which of them pip takes depends on where it is told to look.
TORCH := 2.13.0
# Tools of `make lock` and `make audit`, each in a folder of its own that goes again. uv, since it locks for all systems
# and versions of Python at once.
UV := 0.13.8
PIP_AUDIT := 2.10.1
PIP := $(VENV)/bin/pip install --quiet --disable-pip-version-check

.PHONY: bulk pairs pairs-time demo check test setup lint figures figures-cfq figures-geo figures-splits ablations differences baselines free-questions results \
        stress load docs lock audit clean

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
	$(VENV)/bin/ruff check src tests examples scripts
	$(VENV)/bin/ruff format --check src tests examples scripts
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

# Splits that nothing was tuned on, and fewer training rows: an hour and a quarter.
figures-splits: setup
	$(REPRODUCE) splits

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

# Load on a service on this machine, for a minute; LOAD="--seconds 600 --long" says otherwise, `--help` lists the rest.
load: setup
	$(VENV)/bin/python -m tests.support.load_test $(LOAD)

# What nothing should break: kills, full disks, fuzzed sentences, damaged files, hostile queries; two hours on one core.
# STRESS="kills --kills 100 --seed 2" chooses stages, sizes and the seed; `--help` lists them.
stress: setup
	$(VENV)/bin/python -m tests.stress --output stress.json $(STRESS)

# A million sentences of COGS by one process, by two, and on a local cluster whose workers are killed; twenty minutes.
ROWS := 1000000
bulk: setup
	@rm -rf runs/bulk
	@$(VENV)/bin/python -m tests.support.bulk_figures $(ROWS) runs/bulk

# Languages from pairs alone: our own ones, and GEO's questions as a file of pairs; seeds 1 to 5, GEO one: an hour.
SEEDS := 1 2 3 4 5
pairs: setup
	@$(VENV)/bin/python -m tests.support.pair_languages runs/pairs
	@cp src/lear/domains/terms/home.csv runs/pairs/home.csv
	@for language in home calendar order arithmetic geo; do for seed in $(SEEDS); do \
	   run=runs/pairs/$$language-$$seed; pairs=runs/pairs/$$language.csv; \
	   if [ ! -f $$pairs ] || { [ $$language = geo ] && [ $$seed != 1 ]; }; then continue; fi; \
	   [ -d $$run ] || $(LEAR) train $$pairs --seed $$seed --output $$run >/dev/null || exit 1; \
	   printf '%s, seed %s: ' $$language $$seed; $(LEAR) evaluate $$run $$pairs --json --skip-faults || exit 1; \
	 done; done

# Time from pairs to a model: 300 rows, and 15,000.
pairs-time: setup
	@$(VENV)/bin/python -m tests.support.pair_languages runs/pairs
	@for language in arithmetic large; do \
	   rm -rf runs/pairs/$$language-time; echo "$$language:"; \
	   bash -c "time $(LEAR) train runs/pairs/$$language.csv --seed 1 --output runs/pairs/$$language-time" || exit 1; \
	   $(LEAR) evaluate runs/pairs/$$language-time runs/pairs/$$language.csv --json --skip-faults || exit 1; \
	 done

# docs/results.md again, of the runs that are there.
results: setup
	$(REPRODUCE) all --budget 0 --page docs/results.md

# The site of docs/ with an interface reference from docstrings, in build/docs; a warning is an error. Nothing is fetched.
docs: setup
	$(VENV)/bin/sphinx-build --fail-on-warning --keep-going --quiet --doctree-dir build/doctrees docs build/docs
	@echo "build/docs/index.html"

setup: $(STAMP)

$(STAMP): pyproject.toml requirements-dev.txt
	@python=$$(for p in "$$PYTHON" python3.11 python3.12 python3.13 python3; do \
	   [ -n "$$p" ] && "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; \
	 done); \
	[ -n "$$python" ] || { echo "lear needs Python 3.11 or newer (set PYTHON=/path/to/python3.11)" >&2; exit 1; }; \
	echo "setting up $(VENV) with $$python" >&2; \
	$$python -m venv --clear $(VENV) || { echo "could not make $(VENV): on Debian, install python3-venv" >&2; exit 1; }
	@$(PIP) --require-hashes --only-binary :all: --requirement requirements-dev.txt
	@$(PIP) torch==$(TORCH)
	@$(PIP) --no-deps --no-build-isolation --editable .
	@# As pip does for packages: where Python is told to write no bytecode, each command would compile everything anew.
	@$(VENV)/bin/python -m compileall -q src/lear
	@touch $@

# Newest versions of everything in the development environment, with the hashes of all their files.
lock: setup
	@tools=$$(mktemp -d) && trap 'rm -rf "$$tools"' EXIT && $(PIP) --target "$$tools" uv==$(UV) && \
	"$$tools/bin/uv" pip compile --quiet --no-config --upgrade --universal --fork-strategy fewest --python-version 3.11 \
	  --generate-hashes --no-annotate --custom-compile-command "make lock" --extra dev --extra sparql --extra plots --extra serve \
	  --extra parquet --extra dask --extra docs \
	  --output-file requirements-dev.txt pyproject.toml requirements-dev.in

# Known vulnerabilities of these versions, where PyPI tells them; a mirror may not.
audit: setup
	@$(VENV)/bin/python -c 'from urllib.request import urlopen; urlopen("https://pypi.org/pypi/packaging/24.0/json")' \
	  2>/dev/null || { echo "make audit: SKIPPED: pypi.org tells no advisories from here" >&2; exit 0; }; \
	tools=$$(mktemp -d) && trap 'rm -rf "$$tools"' EXIT && $(PIP) --target "$$tools" pip-audit==$(PIP_AUDIT) && \
	PYTHONPATH="$$tools" $(VENV)/bin/python -m pip_audit --strict --disable-pip --require-hashes --requirement requirements-dev.txt && \
	echo "torch==$(TORCH)" > "$$tools/torch.txt" && \
	PYTHONPATH="$$tools" $(VENV)/bin/python -m pip_audit --strict --disable-pip --no-deps --requirement "$$tools/torch.txt"

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
