# One word a chore; `make help` lists them.

bin := .venv/bin
python_sources = src tests benchmarks $(wildcard tools/*.py) $(shell grep -rIl '^\#!.*python3$$' tools)
shell_sources = $(shell grep -rIlE '^\#!.*[/ ](ba)?sh$$' .ci tools benchmarks src tests)
cpp_sources = $(shell find probes algorithms kernels runtime schedules tests -name '*.cpp' -o -name '*.hpp' -o -name '*.c' -o -name '*.h')
cmake_sources = CMakeLists.txt $(shell find probes algorithms runtime schedules tests -name CMakeLists.txt -o -name '*.cmake')

# The longest first.
lints = $(addprefix lint-,types docs cpp spelling style layers cmake shell pages hooks)

.PHONY: help survey check test test-all lint $(lints) tidy odr format docs-site pictures dist clean

help: ## list the chores
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

survey: ## set up, measure this machine, write leadline-report.html
	@tools/setup
	@$(bin)/leadline survey --html leadline-report.html

check: lint ## lint, then the tests that start no process: for each commit
	@tools/setup test lint
	@tools/test check

test: ## run what one MPI, compilers and a browser allow
	@tools/setup test lint
	@tools/test test

test-all: ## run all tests: every MPI, every number of ranks, virtual clusters, Slurm, simulation
	@tools/setup test lint
	@tools/test all

lint: ## check style, types, layers, scripts and spelling
	@tools/setup lint
	@$(MAKE) --no-print-directory --keep-going --output-sync --jobs=$$(getconf _NPROCESSORS_ONLN) $(lints)

lint-types:
	$(bin)/mypy
	MYPYPATH=src:benchmarks $(bin)/mypy --package comparison

lint-docs:
	NO_MKDOCS_2_WARNING=1 $(bin)/mkdocs build --strict

lint-cpp:
	$(bin)/clang-format --dry-run -Werror $(cpp_sources)

lint-style:
	$(bin)/ruff check $(python_sources)
	$(bin)/ruff format --check $(python_sources)

lint-layers:
	$(bin)/lint-imports

lint-cmake:
	$(bin)/gersemi --check $(cmake_sources)

lint-shell:
	$(bin)/shellcheck $(shell_sources)

lint-pages:
	$(bin)/python tools/lint-scripts

lint-spelling:
	$(bin)/codespell

lint-hooks:
	$(bin)/pre-commit validate-config
	$(bin)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml

tidy: ## look for mistakes in C++ with clang-tidy
	@tools/setup lint
	tools/tidy

odr: ## link everything with all its definitions in view
	@tools/setup
	tools/odr

format: ## rewrite sources in the common style
	@tools/setup lint
	$(bin)/ruff check --fix --quiet $(python_sources)
	$(bin)/ruff format $(python_sources)
	$(bin)/clang-format -i $(cpp_sources)
	$(bin)/gersemi --in-place $(cmake_sources)

docs-site: ## build the documents, and the reference that the code makes, as a site into build/site
	@tools/setup docs
	NO_MKDOCS_2_WARNING=1 $(bin)/mkdocs build --strict

pictures: ## write docs/pictures from the last run, as terminal and browser show it
	@tools/setup test
	$(bin)/python tools/pictures

dist: ## build the wheel, which needs no compiler, and the source archive into dist/
	@tools/setup dist
	$(bin)/python tools/reference.py build/reference
	$(bin)/python tools/dist.py
	$(bin)/python -m build --sdist --wheel --outdir dist

clean: ## remove what was built here, the environment apart
	rm -rf build dist leadline-report.html .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -prune -exec rm -r {} +
