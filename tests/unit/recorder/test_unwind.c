/* SPDX-License-Identifier: MIT */
/* Tests functions found in unwind information: of this program, and of one that is damaged. */
#include <check.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/elf/elf_file.h"
#include "tests/unit/run_suite.h"

static char *image;
static size_t image_size;

static void read_self(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat st;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	image_size = (size_t)st.st_size;
	image = malloc(image_size);
	ck_assert_int_eq(pread(fd, image, image_size, 0), (ssize_t)image_size);
	close(fd);
}

static Elf64_Shdr *section(const char *name)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)image;
	Elf64_Shdr *sections = (Elf64_Shdr *)(image + header->e_shoff);
	const char *names = image + sections[header->e_shstrndx].sh_offset;

	for (unsigned i = 0; i < header->e_shnum; i++)
		if (!strcmp(names + sections[i].sh_name, name))
			return &sections[i];
	ck_abort_msg("no section %s", name);
	return NULL;
}

/* Removes the symbol table, as strip does. */
static void strip(void)
{
	section(".symtab")->sh_type = SHT_PROGBITS;
}

static struct elf_symbols read_symbols(void)
{
	struct elf_file *elf = elf_file_memory(image, image_size);
	struct elf_symbols symbols = { 0 };

	ck_assert_ptr_nonnull(elf);
	ck_assert(elf_file_symbols(elf, "/none/program", &symbols));
	elf_file_close(elf);
	return symbols;
}

static const struct tf_symbol *find(const struct elf_symbols *symbols, uint64_t value)
{
	for (size_t i = 0; i < symbols->count; i++)
		if (symbols->at[i].value == value && symbols->at[i].kind == STT_FUNC)
			return &symbols->at[i];
	return NULL;
}

static uint64_t place_of_main(const struct elf_symbols *whole)
{
	for (size_t i = 0; i < whole->count; i++)
		if (!strcmp(whole->at[i].name, "main"))
			return whole->at[i].value;
	return 0;
}

START_TEST(functions_of_a_stripped_file)
{
	struct elf_symbols whole, found;
	const struct tf_symbol *is;
	uint64_t main_at;
	char name[64];

	read_self();
	elf_file_init();
	whole = read_symbols();
	main_at = place_of_main(&whole);
	ck_assert_uint_ne(main_at, 0);
	strip();
	/* The names belong to the image, which stays. */
	found = read_symbols();
	is = find(&found, main_at);
	ck_assert_ptr_nonnull(is);
	snprintf(name, sizeof(name), "program+0x%lx", main_at);
	ck_assert_str_eq(is->name, name);
	ck_assert_uint_eq(is->size, find(&whole, main_at)->size);
	ck_assert_uint_gt(found.count, 20);
	/* No function begins inside another one. */
	for (size_t i = 0; i < found.count; i++)
		for (size_t k = 0; k < found.count; k++)
			if (strstr(found.at[i].name, "program+") && k != i &&
			    found.at[k].kind == STT_FUNC)
				ck_assert(found.at[i].value - found.at[k].value >=
					  (found.at[k].size ? found.at[k].size : 1));
	elf_symbols_free(&whole);
	elf_symbols_free(&found);
	free(image);
}
END_TEST

/* Functions that have symbols get no other names. */
START_TEST(symbols_come_first)
{
	struct elf_symbols whole;
	unsigned made = 0;

	read_self();
	elf_file_init();
	whole = read_symbols();
	for (size_t i = 0; i < whole.count; i++)
		made += !!strstr(whole.at[i].name, "program+0x");
	ck_assert_uint_lt(made, whole.count / 10);
	ck_assert_str_eq(find(&whole, place_of_main(&whole))->name, "main");
	elf_symbols_free(&whole);
	free(image);
}
END_TEST

/* Reading a damaged section ends, and stays within its bytes. */
START_TEST(damaged_information)
{
	Elf64_Shdr *frames;

	elf_file_init();
	srandom(7);
	for (unsigned i = 0; i < 300; i++) {
		struct elf_symbols symbols;

		read_self();
		strip();
		frames = section(".eh_frame");
		if (i % 3 == 0)
			frames->sh_size = (uint64_t)random() % frames->sh_size;
		for (unsigned k = 0; k < 1 + i % 20; k++)
			image[frames->sh_offset +
			      (uint64_t)random() % (k % 2 ? 200 : frames->sh_size + 1)] = (char)
				random();
		symbols = read_symbols();
		ck_assert_uint_lt(symbols.count, image_size / 8);
		elf_symbols_free(&symbols);
		free(image);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unwind");
	TCase *tests = tcase_create("functions");

	tcase_add_test(tests, functions_of_a_stripped_file);
	tcase_add_test(tests, symbols_come_first);
	tcase_add_test(tests, damaged_information);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
