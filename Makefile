# make demo   scores published answers        make test   runs every test
# make check  short tests without other processes; all tests of one module with METRIC=qa_em
# make lint   style and types
# make docs   builds the site in build/site   make serve  shows it at 127.0.0.1:8000
# make bench  ours beside the peers
# make package  the wheel and the source in dist
# make rehearse  the package in empty environments with each extra; one with EXTRAS=cli,plot,report

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test check lint docs serve bench package rehearse clean

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[cli,plot,report]"
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	touch $@

demo: $(VENV)/installed
	$(BIN)/metric-commons score qa_em qa_f1 examples/nq_open.jsonl \
		--predictions dpr --predictions fid --predictions emdr2 --references answers \
		--confidence 0.95 --compare --save build/demo.json --rows build/demo.rows.jsonl
	$(BIN)/metric-commons trec --compare examples/qrels.txt examples/dense.run.txt examples/bm25.run.txt \
		--measure ndcg@10 --measure map
	$(BIN)/metric-commons report build/demo.json --save build/demo.html --show question
	@echo "The page about these results: file://$(CURDIR)/build/demo.html"

# Where compiled files are forbidden, each process of a test would compile all that it imports.
test check: export PYTHONDONTWRITEBYTECODE =

test: $(VENV)/installed-dev
	$(BIN)/python -m pytest -m "not slow" -n auto --dist worksteal

# With METRIC, all tests of one module, and of the lists that name it.
check: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n auto --dist worksteal $(if $(METRIC),\
		-m "not slow" tests/contract tests/metrics/test_$(METRIC).py -k "$(METRIC) or lists_the_metrics",\
		-m "not slow and not processes and not long")

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --group docs
	$(BIN)/python docs/build_site.py
	$(BIN)/zensical build --clean --strict --config-file build/mkdocs.yml
	$(BIN)/python docs/build_site.py search
	@echo "The site: file://$(CURDIR)/build/site/index.html; make serve shows it with its search"

serve: docs
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site 8000

bench: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --group bench
	for script in benchmarks/[!_]*.py; do \
		$(BIN)/python $$script > docs/tables/$$(basename $$script .py).txt || exit 1; done

package: $(VENV)/installed
	$(BIN)/python -m pip install --quiet build twine
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*

rehearse: package
	$(BIN)/python .github/rehearse.py $(EXTRAS)

clean:
	rm -rf $(VENV) build dist
