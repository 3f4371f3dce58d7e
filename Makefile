# Everything runs in .venv, which is made on first use; nothing but python3, make and g++ is needed.
PYTHON ?= python3
BIN := .venv/bin
FAST := -m "not slow" -n 2 --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-native check format bench docs wheel clean

help:  ## show these lines
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.venv/user: pyproject.toml CMakeLists.txt $(shell find native -type f)
	test -d .venv || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet -e .
	touch $@

.venv/developer: pyproject.toml CMakeLists.txt $(shell find native -type f)
	test -d .venv || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet -e '.[dev,chem,pyg,serve]'
	cp $$(find .venv -name _native.pyi) src/infmcs/  # where the type checker looks
	touch $@ .venv/user

demo: .venv/user  ## install, and show what this package does on the bundled molecules
	$(BIN)/infmcs demo --folder demo

test: .venv/developer  ## the tests, under five minutes
	$(BIN)/python -m pytest $(FAST)

test-all: .venv/developer test-native  ## all tests, the slow ones and the native ones under sanitizers too
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-native: .venv/developer  ## the C++ tests under the address and undefined-behaviour sanitizers
	$(BIN)/cmake --preset sanitize
	$(BIN)/cmake --build --preset sanitize
	$(BIN)/ctest --preset sanitize

check: .venv/developer  ## formatting, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $$(find native -name '*.cpp' -o -name '*.hpp')

format: .venv/developer  ## put all code into its standard form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/clang-format -i $$(find native -name '*.cpp' -o -name '*.hpp')

bench: .venv/developer  ## the quick benchmarks, each with its record in benchmarks/record
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.labels

docs: .venv/developer  ## rewrite the generated tables from records; test every link, command and example of the docs
	$(BIN)/python -m tools.tables
	$(BIN)/python -m pytest -q tests/test_docs.py tests/test_help.py

wheel: .venv/developer  ## a wheel in dist, looked into: whole, and nothing besides
	rm -rf dist
	$(BIN)/pip wheel --quiet --no-deps -w dist .
	$(BIN)/python -m tools.wheel dist/*.whl

clean:  ## remove the environment and everything built
	rm -rf .venv build dist
