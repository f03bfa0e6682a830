# make demo   scores the example answers      make test   runs every test
# make lint   style and types                 make bench  ours beside the peers

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test lint bench clean

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[cli,plot,report]"
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	touch $@

demo: $(VENV)/installed
	$(BIN)/metric-commons score qa_em qa_f1 substring_recall examples/capitals.jsonl \
		--predictions atlas --predictions borealis --references answers \
		--confidence 0.95 --save build/demo.json

test: $(VENV)/installed-dev
	$(BIN)/python -m pytest -m "not slow" -n auto --dist worksteal

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --group bench
	for script in benchmarks/[!_]*.py; do $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) build dist
