/* SPDX-License-Identifier: MIT */
/*
 * Reads files that a trace names as modules. The input is such a file, of the recorded build; the
 * fuzzer looks up the lines of its code, and its symbols. Sections are changed in place, so that
 * readers find the sections that they look for.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzers/common/debug_file.h"
#include "analyzers/common/lines.h"
#include "recorder/elf/elf_file.h"
#include "tests/fuzz/require.h"
#include "tests/scratch.h"
#include "traceformat/tracewriter.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { MOST_ADDRESSES = 200, FIRST_ADDRESS = 0x1000, ADDRESS_STEP = 3 };

static scratch_path path;
static volatile uint64_t sink; /* makes sure that values are read */

static void remove_file(void)
{
	unlink(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	close(scratch_file(path, "module"));
	atexit(remove_file);
	elf_file_init();
	return 0;
}

/* ---- changing ---------------------------------------------------------------------------- */

/* Returns the bytes of one of the file's sections, or NULL. */
static uint8_t *any_section(uint8_t *data, size_t size, size_t *section_size)
{
	Elf64_Ehdr file;
	Elf64_Shdr section;
	unsigned index;

	if (size < sizeof(file))
		return NULL;
	memcpy(&file, data, sizeof(file));
	if (!file.e_shnum || file.e_shoff > size)
		return NULL;
	index = (unsigned)rand() % file.e_shnum;
	if ((size - file.e_shoff) / sizeof(section) <= index)
		return NULL;
	memcpy(&section, data + file.e_shoff + index * sizeof(section), sizeof(section));
	if (section.sh_type == SHT_NOBITS || !section.sh_size || section.sh_offset > size ||
	    section.sh_size > size - section.sh_offset)
		return NULL;
	*section_size = section.sh_size;
	return data + section.sh_offset;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	size_t section_size, changed;
	uint8_t *section;

	srand(seed);
	section = rand() % 8 ? any_section(data, size, &section_size) : NULL;
	if (!section)
		return LLVMFuzzerMutate(data, size, max_size);
	changed = LLVMFuzzerMutate(section, section_size, section_size);
	memset(section + changed, 0, section_size - changed);
	return size;
}

/* ---- reading ----------------------------------------------------------------------------- */

static void write_file(const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

/* Reads the symbols as the recorder does, and the build-id. */
static void read_symbols(struct tf_module *module)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_file *elf = elf_file_open(fd);
	struct elf_symbols symbols = { 0 };
	struct segment *segments = NULL;
	unsigned n;

	if (elf) {
		module->build_id_size = (uint8_t)elf_file_build_id(elf, module->build_id,
								   sizeof(module->build_id));
		if (elf_file_segments(elf, &segments, &n))
			for (unsigned i = 0; i < n; i++)
				sink += segments[i].vaddr + segments[i].file_size;
		if (elf_file_symbols(elf, path, &symbols))
			for (size_t i = 0; i < symbols.count; i++)
				REQUIRE(*symbols.at[i].name);
		free(segments);
		elf_symbols_free(&symbols);
		elf_file_close(elf);
	}
	close(fd);
}

static struct tf_reader *trace_of(const struct tf_module *module)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	struct tf_reader *reader = NULL;
	struct tf_writer *writer;
	uint32_t index;

	REQUIRE(fd >= 0 && tf_writer_create_fd(fd, "trace", NULL, &writer, NULL) == 0);
	REQUIRE(tf_writer_add_module(writer, module, &index, NULL) == 0);
	REQUIRE(tf_writer_finish(writer, 0, "exit", NULL) == 0);
	tf_writer_free(writer);
	REQUIRE(tf_open_fd(fd, "trace", &reader, NULL) == 0 && tf_load(reader, NULL) == 0);
	close(fd);
	return reader;
}

static void read_lines(const struct tf_module *module)
{
	struct tf_reader *reader = trace_of(module);
	struct lines *lines = lines_open(reader);
	struct source_line line;

	for (unsigned i = 0; i < MOST_ADDRESSES; i++)
		if (lines_find(lines, 0, FIRST_ADDRESS + i * ADDRESS_STEP, &line))
			sink += strlen(line.file) + (line.folder ? strlen(line.folder) : 0) +
				line.line;
	lines_close(lines);
	tf_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tf_module module = { .kind = TF_MODULE_FILE, .path = path, .file_size = size };

	if (!size)
		return -1;
	write_file(data, size);
	read_symbols(&module);
	read_lines(&module);
	return 0;
}
