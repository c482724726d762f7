# yupana: make demo shows it, make test tests it, make bench measures it.
# Each target installs what is missing first and may be called again at any time.

SHELL := /bin/bash
.ONESHELL:
.SHELLFLAGS := -euo pipefail -c
.PHONY: all deps build program demo test test-aarch64 test-gpu test-peers test-sanitizers faults soak fuzz fuzz-corpus \
  coverage peers bench bench-gate install packages test-packages site ci-matrix clean

# What the build needs, and what the tests need besides: peers as oracles and a browser.
BUILD_PACKAGES := g++ cmake ninja-build ccache pkg-config libtbb-dev libhwy-dev libhts-dev \
  libcli11-dev libfmt-dev nlohmann-json3-dev libeigen3-dev libboost-graph-dev \
  libcairo2-dev fonts-dejavu-core zlib1g-dev libisal-dev libzstd-dev libgtest-dev libopenmpi-dev openmpi-bin
TEST_PACKAGES := plink1.9 plink2 bcftools tabix python3-numpy python3-scipy \
  python3-sklearn python3-venv python3-dev chromium genometools \
  default-jre-headless
PEER_PACKAGES := libopenblas0-pthread python3-graph-tool exonerate minimap2 spaln libfftw3-single3 \
  libfftw3-double3 libgmp10 libhwy1 python3-pandas
FUZZ_PACKAGES := clang libclang-rt-14-dev
AARCH64_PACKAGES := g++-aarch64-linux-gnu qemu-user cmake ninja-build ccache pkg-config libcli11-dev nlohmann-json3-dev libeigen3-dev
AARCH64_LIBRARIES := libtbb-dev libhwy-dev libhts-dev libfmt-dev libcairo2-dev libfontconfig-dev zlib1g-dev libisal-dev libzstd-dev libgtest-dev \
  libboost-graph-dev
PACKAGING_PACKAGES := dpkg-dev file python3-venv python3-dev

SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
PYTHONS ?= python3
SANITIZERS ?= dev tsan filled
FUZZ_SECONDS ?= 600
FUZZ_PRESET ?= fuzz
SOAK_SEED ?= 1
SOAK_COUNT ?= 10000
GPU_SUITE_OPTIONS ?=
GATE_OPTIONS ?=
YUPANA := build/release/yupana
# Real inputs of the benches, in folders matrices and splice/vertebrate_cds; without them they say so.
DATA ?= ../shared/data
BENCHES ?= distances relationships pruning paths vcf packing scan sort merge splice closest trisolve fft polymul matmul som trees tables
BENCH_RESULTS ?= bench/results
BENCH_OPTIONS ?=

# $(call install,PACKAGES): asks the package manager only for what is missing.
define install
missing=""; for p in $(1); do dpkg-query -Wf '$${Status}\n' "$$p" 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; done
if [ -n "$$missing" ]; then
  echo "installing:$$missing"
  $(SUDO) apt-get update -qq
  $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null
fi
endef

all: build

deps:
	@$(call install,$(BUILD_PACKAGES))

build: deps
	@[ -f build/release/build.ninja ] || cmake --preset release >/dev/null
	cmake --build build/release -j $(JOBS)

# The program without the tests.
program: deps
	@[ -f build/release/build.ninja ] || cmake --preset release >/dev/null
	cmake --build build/release -j $(JOBS) --target yupana_cli

# A cohort of 600 individuals in twelve populations along a line, and the whole genomic job on it.
demo: program
	@mkdir -p demo
	$(YUPANA) simulate --samples 600 --sites 50000 --populations 12 --structure line --fst 0.3 --missing 0.01 -o demo/cohort
	$(YUPANA) fermat demo/cohort.bed --labels demo/cohort.labels.tsv --alpha auto -o demo/run
	echo "The report is $(CURDIR)/demo/run.html"

test: deps
	@$(call install,$(TEST_PACKAGES))
	($(call install,clang-format-14)) 2>/dev/null || echo "no clang-format-14 for this system: format_test skips"
	[ -f build/release/build.ninja ] || cmake --preset release >/dev/null
	cmake --build build/release -j $(JOBS)
	ctest --test-dir build/release --output-on-failure -j $$(($(JOBS) + 1))  # one more, for many wait for others

# For 64-bit Arm, compiled here; every family's tests in an emulator. Packages of that architecture come into the system.
test-aarch64:
	@dpkg --print-foreign-architectures | grep -qx arm64 || { $(SUDO) dpkg --add-architecture arm64 && $(SUDO) apt-get update -qq; }
	$(call install,$(AARCH64_PACKAGES) $(addsuffix :arm64,$(AARCH64_LIBRARIES)))
	[ -f build/aarch64/build.ninja ] || cmake --preset aarch64 >/dev/null
	cmake --build --preset aarch64 -j $(JOBS)
	ctest --preset aarch64 -j $(JOBS)

# Every GPU test program on this machine's GPU, in each way that its kernels can run; about an hour, half of it
# every family beside every other on one GPU.
test-gpu: deps
	@for preset in cuda cuda-80; do
	  python3 -c 'import nanobind' 2>/dev/null && module="-DYUPANA_PYTHON=ON -DPython_EXECUTABLE=$$(command -v python3)" || module=
	  [ -f build/$$preset/build.ninja ] || cmake --preset $$preset $$module >/dev/null
	  cmake --build build/$$preset -j $(JOBS)
	done
	python3 tests/support/gpu_suite.py build/cuda --build-80 build/cuda-80 $(GPU_SUITE_OPTIONS)

# The test suites of SciPy and NetworkX, their calls handed to the Python package (docs/drop-in.md), in the
# versions that the list of expected failures is of.
test-peers: build
	@ctest --test-dir build/release --output-on-failure -R '^package_test$$'
	python=build/release/python-venv/bin/python
	$$python -m pip install --quiet --disable-pip-version-check scipy==1.17.1 networkx==3.6.1 scikit-learn==1.9.1 hypothesis
	$$python python/tests/peer_suites.py

# The same tests under ASan + UBSan, under TSan, and where new memory is filled with ones.
test-sanitizers: deps
	@for preset in $(SANITIZERS); do
	  cmake --preset $$preset >/dev/null
	  cmake --build build/$$preset -j $(JOBS)
	  ctest --test-dir build/$$preset --output-on-failure
	done

# Every call to the system refused once, in a run of every command; hours.
faults: build
	@python3 tests/faults/fault_test.py $(abspath $(YUPANA)) --all

# SOAK_COUNT random jobs, each run in every way that must give the same bytes.
soak: build
	@python3 tests/soak/soak.py $(YUPANA) --seed $(SOAK_SEED) --count $(SOAK_COUNT) --findings build/soak

# Every reader fuzzed for FUZZ_SECONDS, beginning with the corpus that make test replays; FUZZ_PRESET=fuzz-plain
# leaves the sanitizers out. Without weights of inputs by rare features (-entropic), which take half of the time.
fuzz: deps
	@$(call install,$(FUZZ_PACKAGES))
	cmake --preset $(FUZZ_PRESET) >/dev/null
	cmake --build build/$(FUZZ_PRESET) -j $(JOBS) --target fuzzers
	for target in build/$(FUZZ_PRESET)/tests/fuzz/fuzz_*; do
	  [ -x "$$target" ] && [ -f "$$target" ] || continue
	  corpus=build/$(FUZZ_PRESET)/corpus/$$(basename $$target)
	  python3 tests/fuzz/corpus.py unpack tests/fuzz/corpus/$$(basename $$target).corpus $$corpus
	  seeds=tests/fuzz/seeds/$$(basename $$target); [ -d "$$seeds" ] || seeds=
	  echo "== $$(basename $$target), $(FUZZ_SECONDS) s"
	  $$target -max_total_time=$(FUZZ_SECONDS) -entropic=0 -rss_limit_mb=4096 -timeout=20 -print_final_stats=1 $$corpus $$seeds
	done

# What fuzzing has found since, made the corpus: the fewest inputs that reach as much of each reader.
fuzz-corpus:
	@for target in build/$(FUZZ_PRESET)/tests/fuzz/fuzz_*; do
	  [ -x "$$target" ] && [ -f "$$target" ] || continue
	  name=$$(basename $$target); merged=build/$(FUZZ_PRESET)/merged/$$name; rm -rf $$merged; mkdir -p $$merged
	  seeds=tests/fuzz/seeds/$$name; [ -d "$$seeds" ] || seeds=
	  $$target -merge=1 -rss_limit_mb=4096 -timeout=20 $$merged build/$(FUZZ_PRESET)/corpus/$$name $$seeds 2>/dev/null
	  python3 tests/fuzz/corpus.py pack $$merged tests/fuzz/corpus/$$name.corpus
	done

# Which lines and branches of the readers the fuzz corpus and their unit tests reach (scripts reach more).
coverage: deps
	@$(call install,$(FUZZ_PACKAGES) llvm)
	cmake --preset coverage >/dev/null
	cmake --build build/coverage -j $(JOBS) --target replay_fuzz test_io
	cd build/coverage
	LLVM_PROFILE_FILE=corpus.profraw tests/replay_fuzz ../../tests/fuzz/corpus ../../tests/fuzz/seeds >/dev/null
	LLVM_PROFILE_FILE=tests.profraw tests/test_io --gtest_brief=1
	llvm-profdata merge -o coverage.profdata corpus.profraw tests.profraw
	llvm-cov report -instr-profile coverage.profdata tests/replay_fuzz -object tests/test_io ../../yupana/io

# Peers that are built or installed here, not by the package manager; one that fails is left out.
peers:
	@for script in build_fftw install_mkl_fft install_openblas; do
	  JOBS=$(JOBS) bench/peers/$$script.sh || echo "bench/peers/$$script.sh failed: its rows say so"
	done

# Every bench with its peers; JSON lines under BENCH_RESULTS, written whole, and the tables of the
# pages. BENCH_OPTIONS=--quick and BENCH_RESULTS=build/bench prove the way with small sizes.
bench: build peers
	@$(call install,$(TEST_PACKAGES) $(PEER_PACKAGES))
	mkdir -p $(BENCH_RESULTS)
	for name in $(BENCHES); do
	  data=
	  case $$name in
	    trisolve) data=$(DATA)/matrices;;
	    splice) data=$(DATA)/splice/vertebrate_cds;;
	  esac
	  if [ -z "$$data" ] || [ ! -d "$$data" ]; then data=; else data="--data $$data"; fi
	  echo "== $$name"
	  $(YUPANA) bench $$name --json --device cpu $$data $(BENCH_OPTIONS) | tee $(BENCH_RESULTS)/$$name.jsonl.part
	  mv $(BENCH_RESULTS)/$$name.jsonl.part $(BENCH_RESULTS)/$$name.jsonl
	done
	python3 bench/tables.py --results $(BENCH_RESULTS)

# The quick benches of this tree and of BASE in turns; fails where a row takes 1.25 times as long.
BASE ?= main
bench-gate: deps
	@base=$$PWD/build/base
	commit=$$(git rev-parse --verify --quiet "$(BASE)^{commit}") || { echo "BASE: expected a commit, got $(BASE)" >&2; exit 2; }
	[ -d $$base ] || git worktree add --force --detach $$base $$commit
	git -C $$base checkout --quiet --detach $$commit  # by its name: HEAD~1 would be that of the other tree
	for tree in $$base $$PWD; do
	  [ -f $$tree/build/release/build.ninja ] || (cd $$tree && cmake --preset release >/dev/null)
	  cmake --build $$tree/build/release -j $(JOBS) --target yupana_cli yupana_bench_program
	done
	bench/gate.py $$base/$(YUPANA) $(YUPANA) $(GATE_OPTIONS)

# build/site/html/index.html: the pages of docs/ with what their commands print. Sphinx and the package come into the
# environment of the package's test first; the pages themselves are built without a network.
site: program
	@$(call install,$(PACKAGING_PACKAGES))
	python3 tests/python/package_test.py $(YUPANA) --install
	python=build/release/python-venv/bin/python
	$$python -m pip install --quiet --disable-pip-version-check sphinx myst-parser furo
	$$python -m sphinx --fresh-env --fail-on-warning --quiet -c docs . build/site/html
	echo '<meta http-equiv="refresh" content="0; url=docs/index.html">' > build/site/html/index.html
	echo "The site is $(CURDIR)/build/site/html/index.html"

# The program, and the library with its headers for CMake and pkg-config.
install: build
	cmake --install build/release --prefix $(PREFIX)

# Under dist/: Debian packages (yupana, yupana-mpi, libyupana-dev), the source distribution, and from it a wheel
# for each of PYTHONS with all its libraries, which is tried in a new virtual environment, and the recipe for Bioconda;
# with CUDA=ON that wheel has the CUDA backend (84 processor minutes of compiling).
packages: deps
	@$(call install,$(PACKAGING_PACKAGES))
	rm -rf dist
	cmake --preset package >/dev/null
	cmake --build build/package -j $(JOBS)
	(cd build/package && cpack >/dev/null)
	JOBS=$(JOBS) packaging/wheels.sh $(PYTHONS)
	for python in $(PYTHONS); do
	  tag=$$($$python -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
	  packaging/check_wheel.sh dist/yupana*-$$tag-*.whl $$python
	done
	ls -l dist

# What is under dist/ in a bare Debian, made by debootstrap.
test-packages:
	@$(call install,debootstrap)
	$(SUDO) packaging/check_in_chroot.sh

# `make test` on every system and with every compiler of the CI that this machine can make, in bare chroots (as
# root); MATRIX="debian-12 clang-14" takes some of them.
ci-matrix:
	@$(call install,debootstrap git)
	$(SUDO) env JOBS=$(JOBS) TARGET=$(TARGET) .ci/matrix $(MATRIX)

clean:
	rm -rf build demo dist
