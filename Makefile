# tracelab. `make` builds build/bin/*; `make demo` shows it at work; `make check` runs all tests.
VERSION := 0.1.0
PREFIX  ?= /usr/local
BUILD   ?= build
Q       := $(if $(filter 1,$(V)),,@)

PACKAGES := gcc libc6-dev pkg-config libzstd-dev libxxhash-dev libzydis-dev libdw-dev libelf-dev libjansson-dev
TEST_PACKAGES := check libcapstone-dev binutils clang libclang-rt-14-dev python3 zstd python3-zstandard python3-xxhash \
	gzip bzip2 xz-utils sqlite3 perl valgrind man-db groff-base

CC      := gcc
CFLAGS  ?= -O2 -g
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla $(if $(CI),-Werror)
ALL_CFLAGS = -std=gnu11 $(WARN) -D_GNU_SOURCE -DTRACELAB_VERSION='"$(VERSION)"' -I. -fPIC -fvisibility=hidden \
	-pthread -MMD -MP $(CFLAGS) $(SANITIZE)
ALL_LDFLAGS = -pthread $(LDFLAGS) $(SANITIZE)
FORMAT_LIBS := -lzstd -lxxhash
ISA_LIBS    := -lZydis
CLI_LIBS    := -ljansson
RECORD_LIBS := -ldw -lelf

object = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
sources = $(sort $(wildcard $(addsuffix /*.c,$(1))))
programs = $(filter $(1)/trace-%,$(call sources,$(1)))

FORMAT_OBJ   := $(call object,$(call sources,traceformat))
ISA_OBJ      := $(call object,$(call sources,traceformat/x86_64))
COMMAND_OBJ  := $(call object,$(call sources,cli/common))
ANALYZER_OBJ := $(call object,$(call sources,analyzers/common) $(filter-out $(call programs,analyzers),$(call sources,analyzers)))
RECORDER_OBJ := $(call object,$(call sources,recorder))
COMMANDS     := $(notdir $(basename $(call programs,cli) $(call programs,analyzers)))
BINARIES     := $(addprefix $(BUILD)/bin/,$(COMMANDS))
LIBRARIES    := $(BUILD)/lib/libtraceformat.a $(BUILD)/lib/libtraceformat.so $(BUILD)/lib/libtraceisa.a
UNIT_TESTS   := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))

.PHONY: all setup setup-tests demo check check-asan fuzz bench install uninstall clean
.DELETE_ON_ERROR:
.SECONDARY:

all: $(LIBRARIES) $(BINARIES)

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC    $<")
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/lib/libtraceformat.a: $(FORMAT_OBJ)
$(BUILD)/lib/libtraceisa.a: $(ISA_OBJ)
$(BUILD)/lib/libcommand.a: $(COMMAND_OBJ)
$(BUILD)/lib/libanalyzer.a: $(ANALYZER_OBJ)
$(BUILD)/lib/librecorder.a: $(RECORDER_OBJ)
$(BUILD)/lib/%.a:
	@mkdir -p $(@D)
	$(if $(Q),@echo "  AR    $@")
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/lib/libtraceformat.so: $(FORMAT_OBJ)
	@mkdir -p $(@D)
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,libtraceformat.so.1 -o $@ $^ $(FORMAT_LIBS)

link = $(if $(Q),@echo "  LD    $@" &&) mkdir -p $(@D) && $(CC) $(ALL_LDFLAGS) -o $@ $^ $(1)
ARCHIVES := $(addprefix $(BUILD)/lib/,libcommand.a libtraceisa.a libtraceformat.a)

$(BUILD)/bin/trace-record: $(BUILD)/obj/cli/trace-record.o $(BUILD)/lib/librecorder.a $(ARCHIVES)
	$(call link,$(CLI_LIBS) $(ISA_LIBS) $(FORMAT_LIBS) $(RECORD_LIBS))
$(BUILD)/bin/%: $(BUILD)/obj/cli/%.o $(ARCHIVES)
	$(call link,$(CLI_LIBS) $(ISA_LIBS) $(FORMAT_LIBS))
$(BUILD)/bin/%: $(BUILD)/obj/analyzers/%.o $(BUILD)/lib/libanalyzer.a $(ARCHIVES)
	$(call link,$(CLI_LIBS) $(ISA_LIBS) $(FORMAT_LIBS))
$(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(BUILD)/lib/librecorder.a $(BUILD)/lib/libanalyzer.a $(ARCHIVES)
	$(call link,-lcheck -lsubunit -lrt -lm -lcapstone $(CLI_LIBS) $(ISA_LIBS) $(FORMAT_LIBS) $(RECORD_LIBS))

clean:
	rm -rf $(BUILD) build-*

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
