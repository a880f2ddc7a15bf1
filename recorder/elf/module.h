/* SPDX-License-Identifier: MIT */
/* A module: a file (or the vdso) that code is mapped from. */
#ifndef MODULE_H
#define MODULE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "recorder/elf/elf_file.h"
#include "traceformat/traceformat.h"

/* Code of a module that synchronizes threads. */
struct excluded_range {
	uint64_t start, end; /* ELF addresses */
	unsigned rule;
	enum {
		EXCLUDED_MODULE,   /* the whole module */
		EXCLUDED_FUNCTION, /* a function */
		EXCLUDED_YIELD,    /* sched_yield, or its entry in the PLT */
		EXCLUDED_ADAPTIVE, /* a function whose loops may take a lock while they wait */
	} kind;
};

struct module {
	struct module *next;
	uint32_t index; /* index in the trace */
	enum tf_module_kind kind;
	char *path;
	dev_t dev;
	ino_t ino;
	struct timespec changed; /* st_mtim */
	uint8_t build_id[20];
	unsigned build_id_size;
	struct segment *segments;
	unsigned n_segments;
	int code_fd; /* the file, once its code has been read; -1: unreadable */
	bool code_opened;
	bool served;           /* on a file system that the recorder does not wait for */
	struct watch *watches; /* sorted by value, ascending */
	size_t n_watches, watch_capacity;
	struct excluded_range *excluded; /* sorted, see program/exclusion.h */
	size_t n_excluded, excluded_capacity;
};

/* Returns segments_bias() of the module's segments. */
static inline uint64_t module_bias(const struct module *module, uint64_t start,
				   uint64_t file_offset, uint32_t protection)
{
	return segments_bias(module->segments, module->n_segments, start, file_offset, protection);
}

#endif
