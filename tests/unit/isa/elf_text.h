/* SPDX-License-Identifier: MIT */
/* The .text section of an ELF file, for tests that decode real code. */
#ifndef ELF_TEXT_H
#define ELF_TEXT_H

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct elf_text {
	const uint8_t *code;
	size_t size;
	uint64_t address; /* ELF virtual address */
};

/* Maps the file for good. Returns false if there is no such file or section. */
static inline bool elf_text_open(const char *path, struct elf_text *text)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	const Elf64_Ehdr *header;
	const Elf64_Shdr *sections;
	const uint8_t *image;
	struct stat status;

	if (file < 0)
		return false;
	fstat(file, &status);
	image = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	close(file);
	if (image == MAP_FAILED)
		return false;
	header = (const Elf64_Ehdr *)image;
	sections = (const Elf64_Shdr *)(image + header->e_shoff);
	for (int i = 0; i < header->e_shnum; i++) {
		const char *name = (const char *)image + sections[header->e_shstrndx].sh_offset +
				   sections[i].sh_name;

		if (strcmp(name, ".text"))
			continue;
		text->code = image + sections[i].sh_offset;
		text->size = sections[i].sh_size;
		text->address = sections[i].sh_addr;
		return true;
	}
	return false;
}

#endif
