# tracelab
#   make            builds every command into build/bin (V=1 shows the commands)
#   make demo       installs missing packages, builds, records a program and shows the result
#   make check      names and installs missing packages, builds and runs all tests;
#                   with INSTALL=no it installs nothing, and reports what is missing
#   make compile_commands  writes compile_commands.json, which editors and clang-tidy read
#   make check-full is make check with all cases and with big real programs
#   make check-asan, make check-tsan, make fuzz [SECONDS=600] [SEED=N], make bench
#   make install [PREFIX=/usr/local] [DESTDIR=], make uninstall, make clean
VERSION := 0.1.0
PREFIX  ?= /usr/local
BUILD   ?= build
Q       := $(if $(filter 1,$(V)),,@)

PACKAGES := gcc libc6-dev pkg-config libzstd-dev libxxhash-dev libzydis-dev libcapstone-dev libdw-dev libelf-dev \
	libjansson-dev zlib1g-dev liblzma-dev libbz2-dev libsqlite3-dev libiberty-dev libjs-chart.js gnuplot-nox \
	libcurl4-openssl-dev
TEST_PACKAGES := check binutils clang clang-format libclang-rt-14-dev python3 python3-pandas zstd python3-zstandard \
	python3-xxhash gzip bzip2 xz-utils sqlite3 perl valgrind man-db groff-base luajit pcre2-utils linux-perf nodejs \
	openjdk-17-jdk-headless chromium chromium-driver python3-selenium poppler-utils
FULL_PACKAGES := slurm-wlm munge openmpi-bin parallel make git libpython3.11-testsuite libgomp1 openssl redis-server postgresql util-linux \
	golang-go kcachegrind xvfb x11-utils dbus r-base-core qemu-system-x86 cpio busybox-static

CC      := gcc
DEBUG_INFO := -g
CFLAGS  ?= -O2 $(DEBUG_INFO)
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla $(if $(CI),-Werror)
ALL_CFLAGS = -std=gnu11 $(WARN) -D_GNU_SOURCE -DTRACELAB_VERSION='"$(VERSION)"' -I. -fPIC -fvisibility=hidden \
	-pthread -MMD -MP -ffp-contract=off $(CFLAGS) $(SANITIZE)
ALL_LDFLAGS = -pthread -Wl,--as-needed $(LDFLAGS) $(SANITIZE)
FORMAT_LIBS := -lzstd -lxxhash
ISA_LIBS    := -lZydis
CLI_LIBS    := -ljansson -lz -llzma -lbz2
SKELETON_LIBS := -lm -ldw -lelf -liberty
ANALYZER_LIBS := $(SKELETON_LIBS) -lsqlite3
RECORD_LIBS := -ldw -lelf -lm

object = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
sources = $(sort $(shell find $(1) -name '*.c'))
programs = $(sort $(wildcard $(1)/trace-*.c))

ISA_OBJ      := $(call object,$(call sources,traceformat/x86_64))
FORMAT_OBJ   := $(filter-out $(ISA_OBJ),$(call object,$(call sources,traceformat)))
COMMAND_OBJ  := $(call object,$(call sources,cli/common))
ANALYZER_OBJ := $(call object,$(filter-out $(call programs,analyzers),$(call sources,analyzers)))
RECORDER_OBJ := $(call object,$(call sources,recorder))
DECODER_OBJ  := $(call object,cli/verify/decode_check.c cli/verify/second_decoder.c)
COMMANDS     := $(notdir $(basename $(call programs,cli) $(call programs,analyzers)))
BINARIES     := $(addprefix $(BUILD)/bin/,$(COMMANDS))
INSTALLED_LIBS := libtraceformat libtraceisa libanalyzer
MANUALS      := $(patsubst cli/man/%,$(BUILD)/man/%,$(basename $(wildcard cli/man/*.in)) $(wildcard cli/man/*.7))
LIBRARIES    := $(foreach l,$(INSTALLED_LIBS),$(BUILD)/install/$(l).a $(BUILD)/install/$(l).so)
UNIT_SOURCES := $(call sources,tests/unit) tests/fuzz/loose_trace.c
UNIT_TESTS   := $(patsubst %.c,$(BUILD)/tests/%,$(filter test_%,$(notdir $(UNIT_SOURCES))))
UNIT_OBJ     := $(foreach o,$(call object,$(UNIT_SOURCES)),$(if $(filter test_%,$(notdir $(o))),,$(o)))

TEST_PROGRAMS := $(addprefix $(BUILD)/tests/programs/,$(notdir $(basename $(wildcard tests/programs/*.c tests/programs/*.S))))
BENCHES      := $(patsubst tests/bench/%.c,$(BUILD)/tests/%,$(wildcard tests/bench/re*.c))
COMPARE      := $(BUILD)/tests/compare
EDIT_TRACE   := $(BUILD)/tests/edit_trace $(BUILD)/tests/many_of $(BUILD)/tests/peak_memory
FUZZERS      := $(BUILD)/tests/fuzz_commands $(BUILD)/tests/fuzz_inputs
MICA_TOOLS   := $(BUILD)/tests/mica_text $(BUILD)/tests/mica_dump
CHARTS       := /usr/share/javascript/chart.js/chart.min.js
REPORT_PAGE  := $(BUILD)/report/page.html
EXAMPLES     := $(patsubst examples/%.c,$(BUILD)/examples/%,$(wildcard examples/*.c))

.PHONY: all compile_commands tests setup setup-tests demo check check-full check-asan check-tsan fuzz bench install uninstall clean
.DELETE_ON_ERROR:
.SECONDARY:

all: $(LIBRARIES) $(BINARIES) $(MANUALS) $(REPORT_PAGE)

# Begins a recipe: makes the target's folder once, and prints $(1). Doing this by processes would take
# as long as some of the compilations.
begin = $(if $(made-$(@D)),,$(eval made-$(@D) := 1)$(shell mkdir -p $(@D)))$(if $(Q),$(info $(1)))$(Q)

$(BUILD)/obj/%.o: %.c
	$(call begin,  CC    $<)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# The page of trace-report, as a template, with the library that draws the charts.
$(REPORT_PAGE): $(wildcard cli/report/page/*) $(CHARTS)
	$(call begin,  PAGE  $@)cli/report/page/assemble.sh cli/report/page $(CHARTS) >$@

$(BUILD)/lib/libtraceformat.a: $(FORMAT_OBJ)
$(BUILD)/lib/libtraceisa.a: $(ISA_OBJ)
$(BUILD)/lib/libcommand.a: $(COMMAND_OBJ)
$(BUILD)/lib/libanalyzer.a: $(ANALYZER_OBJ)
$(BUILD)/lib/librecorder.a: $(RECORDER_OBJ)
$(BUILD)/lib/libunit.a: $(UNIT_OBJ)
$(BUILD)/lib/%.a:
	$(call begin,  AR    $@)rm -f $@ && ar rcs $@ $^

# The libraries that make install installs. Each exports only names with these prefixes: an archive is
# one object whose other names are local. libanalyzer has copies of the commands' code that it needs.
EXPORTS_libtraceformat := tf_
EXPORTS_libtraceisa    := isa_
EXPORTS_libanalyzer    := analyzer_ report_
exports = $(EXPORTS_$(basename $(@F)))
SKELETON := $(call object,$(call sources,analyzers/common)) $(BUILD)/lib/libcommand.a $(BUILD)/lib/libsupport.a
$(BUILD)/lib/libsupport.a: $(call object,$(call sources,traceformat/common))
$(BUILD)/install/libtraceformat.a $(BUILD)/install/libtraceformat.so: $(FORMAT_OBJ)
$(BUILD)/install/libtraceisa.a $(BUILD)/install/libtraceisa.so: $(ISA_OBJ)
$(BUILD)/install/libanalyzer.a: $(SKELETON)
$(BUILD)/install/libanalyzer.so: $(SKELETON) $(BUILD)/install/libtraceisa.so $(BUILD)/install/libtraceformat.so
$(BUILD)/install/libtraceformat.so: NEEDED = $(FORMAT_LIBS)
$(BUILD)/install/libtraceisa.so: NEEDED = $(ISA_LIBS)
$(BUILD)/install/libanalyzer.so: NEEDED = $(SKELETON_LIBS) $(CLI_LIBS) $(ISA_LIBS) $(FORMAT_LIBS)
$(BUILD)/install/%.a:
	$(call begin,  AR    $@)ld -r -o $(@:.a=.o) $^ && objcopy --localize-hidden -w $(exports:%=-G '%*') $(@:.a=.o) && \
		rm -f $@ && ar rcs $@ $(@:.a=.o)
$(BUILD)/install/%.so:
	$(call begin,  LD    $@)echo '{ global: $(exports:%=%*;) local: *; };' >$(@:.so=.map) && \
		$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,$(@F).1 -Wl,--version-script=$(@:.so=.map) -o $@ $^ $(NEEDED)

# write_page.c embeds the page.
$(BUILD)/obj/cli/common/write_page.o: $(REPORT_PAGE)
$(BUILD)/obj/cli/common/write_page.o: ALL_CFLAGS += -DREPORT_PAGE='"$(REPORT_PAGE)"'
$(BUILD)/obj/cli/report/reference.o: cli/report/reference.json

link = $(call begin,  LD    $@)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(1)
ARCHIVES := $(addprefix $(BUILD)/lib/,libcommand.a libtraceisa.a libtraceformat.a)

# A command's own sources: cli/trace-NAME.c, and cli/NAME/ if it exists.
command = $(call object,cli/$(1).c $(wildcard cli/$(1:trace-%=%)/*.c))
$(BUILD)/bin/trace-verify: CLI_LIBS += -lcapstone
$(BUILD)/bin/trace-report: CLI_LIBS += -lm
$(BUILD)/bin/trace-compare: CLI_LIBS += -lm
.SECONDEXPANSION:
$(BUILD)/bin/trace-record $(BUILD)/bin/trace-import: $$(call command,$$(@F)) $(BUILD)/lib/librecorder.a $(ARCHIVES)
	$(call link,$(CLI_LIBS) $(ISA_LIBS) $(FORMAT_LIBS) $(RECORD_LIBS))
$(BUILD)/bin/trace-analyze: $$(call command,$$(@F)) $(BUILD)/lib/libanalyzer.a $(ARCHIVES)
	$(call link,$(ANALYZER_LIBS) $(CLI_LIBS) $(ISA_LIBS) $(FORMAT_LIBS))
$(BUILD)/bin/%: $$(call command,$$*) $(ARCHIVES)
	$(call link,$(CLI_LIBS) $(ISA_LIBS) $(FORMAT_LIBS))
$(BUILD)/bin/%: $(BUILD)/obj/analyzers/%.o $(BUILD)/lib/libanalyzer.a $(ARCHIVES)
	$(call link,$(ANALYZER_LIBS) $(CLI_LIBS) $(ISA_LIBS) $(FORMAT_LIBS))
# Compiling the tests takes longer than running them.
$(BUILD)/obj/tests/unit/%.o $(BUILD)/obj/tests/fuzz/%.o $(BUILD)/obj/tests/mica/%.o: CFLAGS := $(CFLAGS:-O2=-O1)
$(UNIT_TESTS): LDFLAGS += -Wl,--wrap=_mark_point
# Objects of a command that a unit test needs; they stand before the archives, as the linker reads in order.
OBJ_test_anonymise := $(call object,$(call sources,cli/anonymise))
OBJ_test_anonymised_records := $(OBJ_test_anonymise)
OBJ_test_export := $(call object,$(call sources,cli/export))
OBJ_test_report_document := $(call object,$(call sources,cli/report))
OBJ_test_compare := $(call object,$(call sources,cli/compare))
$(BUILD)/tests/test_repetitions: LDFLAGS += -Wl,--wrap=slot_sources_spare_reps
$(BUILD)/tests/test_hash_table: LDFLAGS += -Wl,--wrap=calloc,--wrap=realloc
$(UNIT_TESTS): $$(filter %/$$(@F).o,$$(call object,$$(UNIT_SOURCES))) $$(OBJ_$$(@F)) $(BUILD)/lib/libunit.a \
		$(DECODER_OBJ) $(BUILD)/lib/librecorder.a $(BUILD)/lib/libanalyzer.a $(ARCHIVES)
	$(call link,-lcheck -lsubunit -lrt -lcapstone $(ANALYZER_LIBS) $(CLI_LIBS) $(ISA_LIBS) $(FORMAT_LIBS) $(RECORD_LIBS))

# A manual has the heads of its options from the command's own table; see page.awk.
$(BUILD)/man/%.1: cli/man/%.1.in cli/man/shared.options cli/man/page.awk $(BUILD)/bin/%
	$(call begin,  MAN   $@)$(BUILD)/bin/$* --help=table | awk -f cli/man/page.awk - cli/man/shared.options $< >$@
$(BUILD)/man/%: cli/man/%
	$(call begin,  MAN   $@)cp $< $@

$(BUILD)/tests/%: $(BUILD)/obj/tests/bench/%.o $(ARCHIVES)
	$(call link,$(CLI_LIBS) $(ISA_LIBS) $(FORMAT_LIBS))
$(COMPARE): $(call object,$(call sources,tests/recorder/compare)) $(ARCHIVES)
	$(call link,$(CLI_LIBS) $(ISA_LIBS) $(FORMAT_LIBS))
$(EDIT_TRACE): $(BUILD)/tests/%: $(BUILD)/obj/tests/fuzz/%.o $(call object,tests/fuzz/loose_trace.c tests/fuzz/trace_fields.c) $(ARCHIVES)
	$(call link,$(CLI_LIBS) $(ISA_LIBS) $(FORMAT_LIBS))
FUZZ_OBJ := $(call object,$(addprefix tests/fuzz/,limited_run.c mutate_trace.c mutate_text.c mutate_records.c mutate_cells.c mutate_partial.c \
	compressed.c trace_fields.c loose_trace.c))
$(FUZZERS): $(BUILD)/tests/%: $(BUILD)/obj/tests/fuzz/%.o $(FUZZ_OBJ) $(BUILD)/lib/libtraceformat.a
	$(call link,$(FORMAT_LIBS) -lz -llzma -lbz2)
$(MICA_TOOLS): $(BUILD)/tests/%: $(BUILD)/obj/tests/mica/%.o $(BUILD)/lib/libanalyzer.a $(ARCHIVES)
	$(call link,$(ANALYZER_LIBS) $(CLI_LIBS) $(ISA_LIBS) $(FORMAT_LIBS))
# Examples include the public headers as installed ones.
$(BUILD)/obj/examples/%.o: ALL_CFLAGS += -Itraceformat -Ianalyzers/common
$(BUILD)/examples/%: $(BUILD)/obj/examples/%.o $(BUILD)/lib/libanalyzer.a $(ARCHIVES)
	$(call link,$(ANALYZER_LIBS) $(CLI_LIBS) $(ISA_LIBS) $(FORMAT_LIBS))

# Programs to be traced are built as a user would build them, without the project's flags. The first
# lines of a file have its link flags. Programs that are recorded or stepped as a whole are static, because
# a dynamic linker's start takes 100,000 instructions; dynamically linked programs have their own tests.
$(BUILD)/tests/programs/%: tests/programs/%.c
	$(call begin,  CC    $<)$(CC) -O1 -g -pthread -o $@ $< $$(sed -n 's,^/\* flags: \(.*\) \*/$$,\1,p' $<)
$(BUILD)/tests/programs/%: tests/programs/%.S
	$(call begin,  CC    $<)$(CC) -nostdlib -static -g -o $@ $< $$(sed -n 's,^/\* flags: \(.*\) \*/$$,\1,p' $<)

tests: all $(UNIT_TESTS) $(TEST_PROGRAMS) $(BENCHES) $(COMPARE) $(FUZZERS) $(EDIT_TRACE) $(MICA_TOOLS) $(EXAMPLES)

# $(1): packages
define install_missing
	@missing=; for p in $(1); do \
		dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; \
	done; \
	if [ -n "$$missing" ] && [ "$(INSTALL)" = no ]; then \
		echo "Not installed, as INSTALL=no:$$missing; what needs these packages fails or is skipped."; \
	elif [ -n "$$missing" ]; then \
		echo "Installing Debian packages:$$missing"; \
		echo "(make INSTALL=no $(or $(MAKECMDGOALS),all) installs nothing)"; \
		sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
		export DEBIAN_FRONTEND=noninteractive; \
		for try in 1 2 3 4 5 6; do $$sudo apt-get -q update && break; sleep 10; done; \
		$$sudo apt-get -q -y -o DPkg::Lock::Timeout=600 install --no-install-recommends $$missing; \
	fi
endef

setup:
	$(call install_missing,$(PACKAGES))
setup-tests:
	$(call install_missing,$(PACKAGES) $(TEST_PACKAGES))

# Takes the compiler's command lines from a dry run of a complete build.
compile_commands:
	$(Q)mkdir -p $(BUILD)
	$(Q)$(MAKE) -Bnk --no-print-directory V=1 tests 2>/dev/null | tests/compile_commands.py >$(BUILD)/compile_commands.json
	$(Q)ln -sf $(BUILD)/compile_commands.json compile_commands.json

demo: setup
	@$(MAKE) --no-print-directory all
	@examples/demo.sh $(BUILD)/bin
# Without variables and types for debuggers, compiling takes a sixth less time. Messages still have lines.
check: setup-tests
	@$(MAKE) --no-print-directory -j2 DEBUG_INFO=-g1 tests
	@tests/run.sh $(BUILD)
check-full: check
	$(call install_missing,$(FULL_PACKAGES))
	@FULL=1 TEST_LIMIT=3600 tests/run.sh $(BUILD) tests/full/full_*.sh \
		$(filter $(UNIT_TESTS),$(patsubst %.c,$(BUILD)/tests/%,$(notdir $(shell grep -lr is_quick tests/unit)))) \
		$$(grep -lE 'is_quick|quick_or_full' tests/*/test_*.sh)
ASAN := SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
check-asan: setup-tests
	@$(MAKE) --no-print-directory -j2 BUILD=build-asan $(ASAN) tests
	@tests/run.sh build-asan
# Resolvers of function clones run before ThreadSanitizer is ready, so there are no clones.
TSAN := SANITIZE="-fsanitize=thread -fno-omit-frame-pointer '-Dtarget_clones(...)=unused'"
TSAN_TESTS := $(patsubst %,tests/recorder/test_%.sh,points_threads vectors_follow windows)
check-tsan: setup-tests
	@$(MAKE) --no-print-directory -j2 BUILD=build-tsan $(TSAN) all \
		$(patsubst $(BUILD)/%,build-tsan/%,$(COMPARE) $(EDIT_TRACE) $(TEST_PROGRAMS))
	@tests/run.sh build-tsan $(TSAN_TESTS)
SECONDS := 600
SEED = $(shell date +%s)
FUZZ_COMMAND = build-asan/tests/$(1) -s $(SEED) -t $$(($(SECONDS) / 4)) build-asan/bin build-asan/faults $(2)
fuzz: setup-tests
	@$(MAKE) --no-print-directory -j2 BUILD=build-asan $(ASAN) all $(FUZZERS:$(BUILD)/%=build-asan/%)
	$(call FUZZ_COMMAND,fuzz_commands,tests/golden/v*/*.trace)
	rm -rf build-asan/input-seeds
	tests/fuzz/make_input_seeds.sh build-asan/bin build-asan/input-seeds
	$(call FUZZ_COMMAND,fuzz_inputs,build-asan/input-seeds/*)
	tests/fuzz/run.sh $$(($(SECONDS) - $(SECONDS) / 4 * 2))
bench: setup-tests
	@$(MAKE) --no-print-directory -j2 tests
	@tests/bench/run.sh $(BUILD)

# Quotes a name for the shell, and for sed in the shell, whatever characters it has.
quote = '$(subst ','\'',$(1))'
sed_text = $(subst $(comma),\$(comma),$(subst &,\&,$(subst \,\\,$(1))))
comma := ,
pc_edit = s,@PREFIX@,$(call sed_text,$(PREFIX)),; s,@VERSION@,$(VERSION),
HEADERS := $(addprefix traceformat/,traceformat.h tracesamples.h tracewriter.h traceisa.h) $(addprefix cli/common/,tracereport.h traceoption.h) \
	analyzers/common/analyzer.h
PC_FILES := traceformat/tracelab-format.pc traceformat/tracelab-isa.pc analyzers/tracelab-analyzer.pc
ROOT := $(call quote,$(DESTDIR)$(PREFIX))
COMPLETION := $(ROOT)/share/bash-completion/completions
install: all
	install -d $(foreach f,bin lib/pkgconfig include share/man/man1 share/man/man7,$(ROOT)/$(f)) $(COMPLETION)
	install -m 755 $(BINARIES) $(ROOT)/bin
	install -m 644 $(HEADERS) $(ROOT)/include
	sed -i 's,^#include "[^"]*/,#include ",' $(foreach h,$(HEADERS),$(ROOT)/include/$(notdir $(h)))
	install -m 644 $(filter %.a,$(LIBRARIES)) $(ROOT)/lib
	for l in $(INSTALLED_LIBS); do \
		install -m 755 $(BUILD)/install/$$l.so $(ROOT)/lib/$$l.so.1 && ln -sf $$l.so.1 $(ROOT)/lib/$$l.so || exit; done
	for f in $(PC_FILES); do sed $(call quote,$(pc_edit)) $$f.in >$(ROOT)/lib/pkgconfig/$${f##*/} || exit; done
	for m in $(MANUALS); do install -m 644 $$m $(ROOT)/share/man/man$${m##*.}; done
	install -m 644 cli/completion/trace-tools.bash $(COMPLETION)/trace-analyze
	for c in $(filter-out trace-analyze,$(COMMANDS)); do ln -sf trace-analyze $(COMPLETION)/$$c; done
uninstall:
	rm -f $(foreach c,$(COMMANDS),$(ROOT)/bin/$(c) $(COMPLETION)/$(c))
	rm -f $(foreach f,$(addprefix include/,$(notdir $(HEADERS))) $(addprefix lib/pkgconfig/,$(notdir $(PC_FILES))),$(ROOT)/$(f))
	rm -f $(foreach l,$(INSTALLED_LIBS),$(foreach e,.a .so .so.1,$(ROOT)/lib/$(l)$(e)))
	for m in $(MANUALS); do rm -f $(ROOT)/share/man/man$${m##*.}/$${m##*/}; done

clean:
	rm -rf $(BUILD) build-*

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
