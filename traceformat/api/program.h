/* SPDX-License-Identifier: MIT */
/* What the code belongs to: modules and symbols, processes and threads, mappings, regions. */
#ifndef TRACEFORMAT_API_PROGRAM_H
#define TRACEFORMAT_API_PROGRAM_H

#include <stdint.h>

#include "traceformat/api/limits.h"

enum tf_module_kind { TF_MODULE_FILE = 0, TF_MODULE_VDSO = 1, TF_MODULE_JIT = 2 };

struct tf_module {
	uint32_t index;
	enum tf_module_kind kind;
	const char *path;
	uint8_t build_id[20];
	uint8_t build_id_size; /* bytes, 0 if it has none */
	uint64_t file_size;    /* bytes */
};

/* A symbol covers the module offsets value .. value + size - 1. */
struct tf_symbol {
	uint64_t value;   /* ELF virtual address */
	uint64_t size;    /* bytes, 0 if the symbol table does not say */
	uint8_t kind;     /* ELF STT_*: 1 object, 2 function, 10 ifunc */
	const char *name; /* as in the file, mangled */
};

struct tf_process {
	uint32_t index;
	uint32_t pid;
	uint32_t parent; /* process index, or TF_NONE */
};

struct tf_thread {
	uint32_t index; /* also the number of its stream */
	uint32_t process;
	uint32_t tid;
};

/* A function whose calls are events. */
struct tf_function {
	uint32_t index;
	uint32_t n_args; /* 0 .. TF_MAX_CALL_ARGS */
	const char *name;
};

enum tf_mapping_change { TF_MAP = 0, TF_UNMAP = 1, TF_PROTECT = 2 };

/* One change of a process's address space. */
struct tf_mapping {
	uint32_t index;
	enum tf_mapping_change change;
	uint32_t process;
	uint32_t module;      /* index, or TF_NONE */
	uint64_t start;       /* virtual address */
	uint64_t size;        /* bytes */
	uint64_t file_offset; /* bytes */
	uint32_t protection;  /* PROT_READ 1, PROT_WRITE 2, PROT_EXEC 4 */
	const char *name;     /* as in /proc/PID/maps: a file, "[heap]", "[stack]", or "" */
};

/* A named part of the trace, for example what --from and --to chose, or a SimPoint. */
struct tf_region {
	uint32_t index;
	const char *name;
};

#endif
