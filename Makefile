# Two commands matter: `make demo` shows lear at work, `make test` checks all of it.
# Each sets up what it needs in .venv; nothing outside this folder is touched.

VENV := .venv
LEAR := $(VENV)/bin/lear
STAMP := $(VENV)/.installed
# The release that the figures were measured with; pip install lear takes any from 2.4 on.
TORCH := 2.13.0
PIP := $(VENV)/bin/pip install --quiet --disable-pip-version-check

.PHONY: demo check test setup lint figures figures-cfq figures-geo ablations baselines lock clean

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

# The figures of docs/results.md, printed again. All need the benchmarks.
# The best recipes, speed and coverage: ten minutes.
figures: setup
	rm -rf runs/figures
	for seed in 1 2 3; do \
	  for recipe in best reinforce; do \
	    run=runs/figures/$$recipe-$$seed; \
	    $(LEAR) train cogs/gen --recipe $$recipe --seed $$seed --output $$run || exit 1; \
	    for split in gen gen_original test; do \
	      $(LEAR) evaluate $$run cogs/$$split --json || exit 1; \
	    done; \
	  done; \
	done
	$(LEAR) bench cogs --json
	$(LEAR) data check cogs
	$(LEAR) coverage cogs/test --part all
	$(LEAR) coverage cogs/gen
	$(LEAR) coverage cogs/gen_original
	$(VENV)/bin/python -c "import sys, time; t = time.perf_counter(); import lear.core.algebra; \
	print(f'import lear.core.algebra: {time.perf_counter() - t:.3f} s, torch loaded: {\"torch\" in sys.modules}')"

# CFQ: the best recipe on two splits, three seeds each, the paper's recipe, speed, coverage: an hour and a half.
figures-cfq: setup
	rm -rf runs/figures-cfq
	for split in mcd1 mcd2_partial; do \
	  for seed in 1 2 3; do \
	    run=runs/figures-cfq/$$split-$$seed; \
	    $(LEAR) train cfq/$$split --seed $$seed --output $$run || exit 1; \
	    $(LEAR) evaluate $$run cfq/$$split --json || exit 1; \
	  done; \
	  $(LEAR) coverage cfq/$$split --part all || exit 1; \
	done
	for recipe in paper reinforce; do \
	  run=runs/figures-cfq/$$recipe; \
	  $(LEAR) train cfq/mcd1 --recipe $$recipe --seed 1 --output $$run || exit 1; \
	  $(LEAR) evaluate $$run cfq/mcd1 --json || exit 1; \
	done
	$(LEAR) bench cfq --json
	$(LEAR) data check cfq

# GEO: the best recipe on two splits, five seeds each, the paper's recipe and REINFORCE, three seeds each, gold answers, speed,
# coverage: half an hour.
figures-geo: setup
	rm -rf runs/figures-geo
	for seed in 1 2 3 4 5; do \
	  for split in query standard; do \
	    run=runs/figures-geo/$$split-$$seed; \
	    $(LEAR) train geo/$$split --seed $$seed --output $$run || exit 1; \
	  done; \
	  $(LEAR) evaluate runs/figures-geo/query-$$seed geo/query --json || exit 1; \
	  $(LEAR) evaluate runs/figures-geo/standard-$$seed geo/standard --execute --json || exit 1; \
	done
	$(LEAR) coverage geo/query --part all
	$(LEAR) coverage geo/standard --part all
	$(LEAR) execute geo --gold
	$(LEAR) data check geo
	for seed in 1 2 3; do \
	  for recipe in paper reinforce; do \
	    run=runs/figures-geo/$$recipe-$$seed; \
	    $(LEAR) train geo/query --recipe $$recipe --seed $$seed --output $$run || exit 1; \
	    $(LEAR) evaluate $$run geo/query --json || exit 1; \
	  done; \
	done
	$(LEAR) bench geo --json

# Table 3: the paper's recipe, and the ablations, three seeds each: forty minutes.
ablations: setup
	rm -rf runs/ablations
	for seed in 1 2 3; do \
	  set -- paper: no-abstraction:--model.abstraction=false no-locality:--model.encoder=contextual no-tree:--model.encoder=span; \
	  for what in "$$@"; do \
	    name=$${what%%:*}; flag=$${what#*:}; run=runs/ablations/$$name-$$seed; \
	    recipe=reinforce; [ $$name = paper ] && recipe=paper; \
	    $(LEAR) train cogs/gen --recipe $$recipe --seed $$seed --output $$run $$flag || exit 1; \
	    for split in gen gen_original; do $(LEAR) evaluate $$run cogs/$$split --json || exit 1; done; \
	  done; \
	done

# A Transformer and an LSTM, one seed each, 25 and 20 minutes on one core.
baselines: setup
	$(LEAR) baseline cogs/gen --architecture transformer --seconds 1500 --threads 1 --json
	$(LEAR) baseline cogs/gen --architecture lstm --seconds 1200 --threads 1 --json

setup: $(STAMP)

$(STAMP): pyproject.toml requirements-dev.txt
	@python=$$(for p in "$$PYTHON" python3.11 python3.12 python3.13 python3; do \
	   [ -n "$$p" ] && "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; \
	 done); \
	[ -n "$$python" ] || { echo "lear needs Python 3.11 or newer (set PYTHON=/path/to/python3.11)" >&2; exit 1; }; \
	echo "setting up $(VENV) with $$python" >&2; \
	$$python -m venv --clear $(VENV) || { echo "could not make $(VENV): on Debian, install python3-venv" >&2; exit 1; }
	@$(PIP) torch==$(TORCH)
	@$(PIP) --constraint requirements-dev.txt --editable '.[dev,sparql]'
	@touch $@

# The versions of everything in the development environment, as they are installed now.
lock: setup
	@{ echo "# The development environment, exactly: made by \`make lock\`, used by \`make setup\`."; \
	   $(VENV)/bin/pip freeze --exclude-editable | grep -v '^torch=='; } > requirements-dev.txt

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
