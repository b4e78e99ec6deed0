# Verge. The work is done by CMake (CMakePresets.json); this file gives the common tasks short names.
#
#     make            build/release/verge and verge-reproduce
#     make run        install, build, run a model and show where to look; make run MODEL=models/squeezer.yaml ARGS="--end 0.01"
#     make test       everything, with gcc and with clang + sanitizers
#     make test-all   also what takes hours: many seeds, long fuzzing, all experiments; PARTS="fuzz dead" for some
#     make bench      measure
#     make reproduction  all experiments of the papers, into docs/reproduction.md; under ten minutes on two idle cores
#     make docs       write the generated pages and the site: build/site/index.html
#     make web        the engine as WebAssembly: the page build/site/play and the npm package build/web/package
#     make deb        Debian packages in build/dist, from the release archive of scripts/tarball
#     make coverage   which lines the tests execute, room by room
#     make install    PREFIX=/usr/local
#     make deps       install what is needed to build (Debian)
#     make clean

PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
MODEL  ?= models/radial-engine.yaml
ARGS   ?=

# cmake --build starts its own make: it must not inherit ours
CMAKE = env -u MAKEFLAGS -u MAKELEVEL cmake

.PHONY: build run test test-all bench reproduction docs web deb coverage install deps deps-test deps-all clean
.DEFAULT_GOAL := build

# reruns cmake only when there is no build yet; afterwards the build looks after itself
build/%/Makefile:
	$(CMAKE) --preset $*

build: build/release/Makefile
	@$(CMAKE) --build build/release --target product -j $(JOBS)

run: deps
	@$(MAKE) --no-print-directory build
	@scripts/run $(MODEL) $(ARGS)

test: deps-test
	@JOBS=$(JOBS) scripts/test

test-all: deps-all
	@JOBS=$(JOBS) scripts/test-all $(PARTS)

bench: build
	@$(CMAKE) --build build/release --target benches -j $(JOBS)
	@scripts/bench

reproduction: build
	@build/release/verge reproduce all --fresh -o build/report.html --summary docs/reproduction.md $(ARGS)

docs: build
	@scripts/docs

web: build
	@scripts/web

deb:
	@scripts/install-deps deb
	@scripts/deb

coverage: build/coverage/Makefile
	@$(CMAKE) --build build/coverage -j $(JOBS)
	@scripts/coverage build/coverage

install: build
	@$(CMAKE) --install build/release --prefix $(PREFIX)

deps:
	@scripts/install-deps

deps-test:
	@scripts/install-deps test

deps-all:
	@scripts/install-deps all

clean:
	rm -rf build
