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

soak: setup-dev
	@exec $(IN_VENV) bench/soak.py

bench: setup-dev
	@exec $(IN_VENV) bench/run.py

evaluate: setup
	@exec $(IN_VENV) manage.py evaluate
