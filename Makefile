# AgencyCore chat. `make run` starts the product, `make test` checks it.
PYTHON ?= python3
BOOTSTRAP = $(PYTHON) agencycore/embedded/bootstrap.py
IN_VENV = .venv/bin/python

.PHONY: setup setup-dev run test lint soak bench evaluate

setup:
	@$(BOOTSTRAP)

setup-dev:
	@$(BOOTSTRAP) --dev

run: setup
	@exec $(IN_VENV) -m agencycore.embedded --stop-with-parent

test: setup-dev
	@exec $(IN_VENV) .ci/verify.py

lint: setup-dev
	@exec $(IN_VENV) .ci/verify.py --lint-only

# All eight parts, or some: make soak PART="latency streaming"
soak: setup-dev
	@exec $(IN_VENV) -m bench.soak $(PART)

# All benches, or one: make bench NAME=turn
bench: setup-dev
	@exec $(IN_VENV) -m bench $(NAME)

evaluate: setup
	@if test -f chat/management/commands/evaluate.py; then exec $(IN_VENV) manage.py evaluate; \
	else echo "manage.py evaluate is not there yet. It will run the scenarios through the real pipeline and score them."; exit 1; fi
