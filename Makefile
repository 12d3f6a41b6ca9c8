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

# These grow with the product: a script that is not there yet is named, and what it will do.
soak: setup-dev
	@exec $(IN_VENV) -m bench.soak $(PART)

bench: setup-dev
	@for name in builtin_routing openai_overhead; do echo "--- $$name"; $(IN_VENV) -m bench.$$name || exit 1; done

evaluate: setup
	@if test -f chat/management/commands/evaluate.py; then exec $(IN_VENV) manage.py evaluate; \
	else echo "manage.py evaluate is not there yet. It will run the scenarios through the real pipeline and score them."; fi

define run_or_say
if test -f $(1); then exec $(IN_VENV) $(1); else echo "$(1) is not there yet. $(2)"; fi
endef
