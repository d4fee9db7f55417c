# make demo: set up, compile samples/vadd.k, run it on the SM model.   make test: set up, run the suite.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= auto

.PHONY: demo test check bench calibrate lint setup setup-test warm clean

demo: warm
	$(BIN)/minicc samples/vadd.k -arch=sm_90 --keep --keep-dir build -o build/vadd.fatbin -Xptxas -v
	@ls -l build/vadd*
	$(BIN)/minicc objdump -sass build/vadd.fatbin
	$(BIN)/minicc run samples/vadd.k --trace-launch --report

test: setup-test
	$(BIN)/python -m pytest -n $(JOBS) tests

lint: setup-test
	$(BIN)/ruff check minicc runtime tests
	$(BIN)/ruff format --check minicc runtime tests
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup-test
	$(BIN)/python -m tests.bench

# On a machine with a Hopper GPU, nvcc and ncu: measure the micro-benchmarks that the model's parameters come from.
calibrate: setup-test
	$(BIN)/python -m tests.gpu.calibrate tests/gpu/data

# The timing loop and the execute functions are compiled once and kept; this does it with progress shown.
warm: setup
	@mkdir -p build
	$(BIN)/minicc cache warm

setup: $(VENV)/.installed
setup-test: $(VENV)/.installed-test

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable .
	$(BIN)/python -m compileall -q minicc runtime
	touch $@

$(VENV)/.installed-test: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable '.[test]'
	$(BIN)/python -m compileall -q minicc runtime
	touch $(VENV)/.installed $@

clean:
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache
