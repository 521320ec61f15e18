# SPDX-License-Identifier: Apache-2.0
# The front door: each target installs what is missing, then calls CMake presets and the tools in .venv.
SHELL := /bin/sh
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
VENV := .venv
PY := $(VENV)/bin/python
BUILD := build/release
space := $(subst ,, )
# extras of pyproject.toml that those who work on it want
DEV_EXTRAS := build run demo files urls sql bench test lint

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow coverage fuzz test-aarch64 lint fmt bench docs wheel sdist install clean system configure build build-tests

help: ## show this list
	@echo "make <target>:"
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  \1|\2/p' Makefile | awk -F'|' '{printf "%-13s %s\n", $$1, $$2}'
	@echo "variables: JOBS=$(JOBS) (parallel jobs)  PIECE=…, RESUME=1 (for test-slow)  ARGS=… (for demo, test and bench)  PYTHON=/path/to/python3"

demo: build ## install what is missing, build, and run the main job on real data and at scale
	@$(VENV)/bin/atoll demo $(ARGS)

test: build-tests ## everything fast: C++ and Python tests, and the tidy test
	@echo "== C++ tests"
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -LE slow -j $(JOBS)
	@echo "== Python tests"
	@$(PY) -m pytest -m "not slow" -n $(JOBS) --dist loadfile --timeout=600 $(ARGS)

test-slow: build-tests $(VENV)/.launchers ## everything, piece by piece: sanitizers, aarch64, kills, fuzzing, soak, all tests. PIECE="kills soak" runs these, RESUME=1 those that have not passed
	@JOBS=$(JOBS) $(PY) scripts/slow.py $(if $(RESUME),--resume) $(PIECE) -- $(ARGS)

coverage: build-tests $(VENV)/.coverage ## lines that the fast tests execute, by folder. SUITES="base fabric" and TESTS=tests/python/columns choose tests
	@echo "== build (coverage, $(JOBS) jobs)"
	@cmake --preset coverage >/dev/null && cmake --build --preset coverage -j $(JOBS) $(if $(SUITES),--target $(addprefix test_,$(SUITES)))
	@$(PY) scripts/coverage_report.py cxx --reset && rm -f build/coverage/python*
	@ctest --test-dir build/coverage --output-on-failure --no-tests=error -LE slow -j $(JOBS) $(if $(SUITES),-R '^($(subst $(space),|,$(SUITES)))/')
	@$(PY) scripts/coverage_report.py cxx
	@$(PY) -m coverage run -m pytest -q -m "not slow" --timeout=1200 $(TESTS)
	@$(PY) scripts/coverage_report.py python

fuzz: build ## libFuzzer on each C++ reader for FUZZ_SECONDS (300), then broken files: FUZZ_ROUNDS of each format on 1 and 3 PEs
	@scripts/system-packages fuzz
	@cmake --preset fuzz >/dev/null && cmake --build --preset fuzz -j $(JOBS)
	@for target in build/fuzz/tests/fuzz/fuzz_*; do \
	  name=$${target##*/fuzz_}; found=build/fuzz/found/$$name; mkdir -p $$found && echo "== fuzz: $$name" && \
	  nice $$target -max_total_time=$${FUZZ_SECONDS:-300} -max_len=4096 -timeout=10 -rss_limit_mb=2000 -verbosity=0 -print_final_stats=1 \
	    -artifact_prefix=build/fuzz/found/$$name. $$found tests/fuzz/corpus/$$name || exit 1; \
	done
	@FUZZ_ROUNDS=$${FUZZ_ROUNDS:-42000} nice $(PY) -m pytest -x -s -m slow tests/python/io/test_broken.py tests/python/experiment/test_broken_plans.py -k "many or letters or toml" $(ARGS)

test-aarch64: system ## builds for aarch64, and runs the C++ tests of what depends on the processor under emulation
	@scripts/system-packages aarch64 && scripts/aarch64-root
	@echo "== build (aarch64, $(JOBS) jobs)"
	@cmake --preset aarch64 >/dev/null && cmake --build --preset aarch64 -j $(JOBS)
	@echo "== aarch64: C++ tests under emulation (not those of agents, which start themselves again: that emulation does not do)"
	@ctest --test-dir build/aarch64 --output-on-failure --no-tests=error -E launch/PartsOfHosts -j $(JOBS)

lint: $(VENV)/.dev ## style and types: clang-format, ruff, mypy, and the tidy test
	@$(PY) scripts/cxx_format.py --check
	@$(PY) -m ruff check python tests scripts examples
	@$(PY) -m ruff format --check python tests scripts examples
	@$(PY) -m mypy
	@$(PY) -m pytest -q tests/tidy

fmt: $(VENV)/.dev ## format C, C++ and Python files, and mend what ruff can mend
	@$(PY) scripts/cxx_format.py
	@$(PY) -m ruff check --fix-only --quiet python tests scripts examples
	@$(PY) -m ruff format python tests scripts examples

bench: build $(VENV)/.dev ## benchmarks beside their peers: make bench ARGS="argsort --size 1e7 --against numpy,polars"
	@$(VENV)/bin/atoll bench run $(or $(ARGS),--sweep bench/quick.toml)

docs: build $(VENV)/.docs ## write the tables of docs/configuration.md, openshmem.md, portals.md, gasnet.md and mpi.md; build the site in build/site
	@$(VENV)/bin/atoll info --config --markdown >build/configuration.md
	@mv build/configuration.md docs/configuration.md
	@$(PY) -B src/shmem/generate/generate.py --document docs/openshmem.md
	@$(PY) -B src/portals/generate/generate.py --document docs/portals.md
	@$(PY) -B src/gasnet/generate/generate.py --document docs/gasnet.md
	@$(PY) -B src/mpi/generate/generate.py --document docs/mpi.md
	@$(PY) -B scripts/documentation.py && echo "== build/site/index.html"

wheel: system $(VENV)/.run ## what people install, into dist/: wheels for Python 3.11 and for 3.12 and later, and the source
	@$(PY) scripts/wheels.py

sdist: system $(VENV)/.run ## the source distribution alone
	@$(PY) scripts/wheels.py sdist

install: build ## OpenSHMEM, MPI, Portals, GASNet and the C++ layers (compilers, launchers, libraries, headers): make install PREFIX=/opt/atoll [GASNET_CONDUIT=smp]
	@test -n "$(PREFIX)" || { echo "make install needs a place: make install PREFIX=/opt/atoll" >&2; exit 2; }
	@cmake --build --preset release -j $(JOBS) --target atoll_portals atoll_gasnet_tree
	@for door in shmem mpi portals gasnet cxx; do cmake --install $(BUILD) --component $$door --prefix "$(abspath $(PREFIX))" || exit 1; done
	@echo "== next: export PATH=$(abspath $(PREFIX))/bin:\$$PATH, then oshcc or mpicc; for C++: cmake -DCMAKE_PREFIX_PATH=$(abspath $(PREFIX)) (examples/cxx)"

clean: ## remove what was built (keeps .venv)
	rm -rf build dist python/atoll/bin python/atoll/include python/atoll/lib python/atoll/*.so

# -- what the targets above stand on --

system:
	@scripts/system-packages

$(VENV)/.run: pyproject.toml scripts/python-env scripts/requirements.py | system
	@scripts/python-env build run demo
	@touch $@

$(VENV)/.dev: pyproject.toml scripts/python-env scripts/requirements.py | system
	@scripts/python-env $(DEV_EXTRAS)
	@touch $@ $(VENV)/.run

$(VENV)/.docs: $(VENV)/.dev
	@scripts/python-env $(DEV_EXTRAS) docs
	@touch $@

$(VENV)/.coverage: $(VENV)/.dev
	@scripts/python-env $(DEV_EXTRAS) coverage
	@touch $@

$(VENV)/.launchers: pyproject.toml scripts/system-packages scripts/python-env scripts/requirements.py $(VENV)/.dev
	@scripts/system-packages launchers trees browser
	@scripts/python-env $(DEV_EXTRAS) launchers clusters
	@touch $@

configure: system $(VENV)/.run
	@cmake --preset release -DATOLL_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(PY) >$(VENV)/configure.log 2>&1 || \
	  { cat $(VENV)/configure.log >&2; exit 1; }

build: configure
	@echo "== build (release, $(JOBS) jobs)"
	@cmake --build --preset release -j $(JOBS) --target atoll_package

build-tests: $(VENV)/.dev configure
	@echo "== build (release, $(JOBS) jobs, with tests)"
	@cmake --build --preset release -j $(JOBS)
