# The commands of the house. Each can be run again at any time; what is done stays done.
#   make             release build: build/release/bin/darp
#   make test        install what is missing, build, run every test
#   make quickstart  see it work
#   make lean        only what goes onto a robot
#   make bench | fuzz | format | lint | deps | clean
.PHONY: all deps lean test quickstart bench fuzz format lint clean
.DEFAULT_GOAL := all

JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?= safetensors policy npz pickle yaml zarr evaluation expert exhibits
build = cmake --preset $(1) $(3) > build/$(1).log 2>&1 || { cat build/$(1).log; exit 1; }; cmake --build --preset $(1) -j $(JOBS) $(2)

all: deps
	@mkdir -p build && $(call build,release)

deps:
	@tools/install_deps.sh

# Release for everything; ASan and UBSan for what reads foreign bytes; the lean build for what goes onto a robot.
# Benchmarks are not tests and take a minute to compile: `make` builds them.
test: deps
	@mkdir -p build && $(call build,release,,-DDARP_BENCHES=OFF)
	@tools/check_format.sh
	ctest --preset release -j $(JOBS)
	@grep -h '(set DARP_REFERENCE_DIR)' build/release/Testing/Temporary/LastTest.log | sort | uniq -c | sed 's/^ *\([0-9]*\)/skipped: \1 tests, because each/' || true
	@$(call build,asan,--target robustness_tests)
	ctest --preset asan -j $(JOBS) -L robustness
	@$(call build,lean)
	ctest --preset lean -j $(JOBS)

# Only what goes onto a robot.
lean: deps
	@mkdir -p build && $(call build,lean)

quickstart: deps
	@mkdir -p build && $(call build,release,--target darp)
	@tools/quickstart.sh

bench: all
	@mkdir -p build/bench && for program in build/release/bench/*_bench; do \
	  $$program --json build/bench/$$(basename $$program).json || exit 1; done

# FUZZ_SECONDS=600 make fuzz for a long run. New inputs gather in build/fuzz/corpus; findings stop it.
fuzz: deps
	@tools/install_deps.sh tools/packages_lint.txt
	@mkdir -p build && $(call build,fuzz,--target $(addsuffix _fuzz,$(FUZZ_TARGETS)))
	@for target in $(FUZZ_TARGETS); do tools/fuzz.sh $$target $(FUZZ_SECONDS) || exit 1; done

format:
	@tools/check_format.sh --fix

# Not LibTorch's: clang 14 cannot read its headers in C++20.
lint: deps
	@tools/install_deps.sh tools/packages_lint.txt
	@mkdir -p build && $(call build,dev)
	@git ls-files 'darp/*.cc' | grep -v -e _test.cc -e train/torch | xargs -P $(JOBS) -n 4 clang-tidy-14 -p build/dev --quiet

clean:
	@rm -rf build
