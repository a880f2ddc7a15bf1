/* SPDX-License-Identifier: MIT */
/* Data that all threads of a folder of drmemtrace share, and the files that tools read of them. */
#ifndef DRMEMTRACE_SHARED_H
#define DRMEMTRACE_SHARED_H

#include "cli/export/drmemtrace_times.h"
#include "cli/export/exporter.h"
#include "traceformat/common/hash_table.h"

#define DRMEMTRACE_NO_SEED UINT64_MAX /* of synthetic physical addresses */

/* Where a traced function begins, once a call of it was met. */
struct drmemtrace_entry_point {
	uint64_t pc; /* 0: not known */
	uint32_t module;
};

/* A page that was used; its index in the table is that of its first use. */
struct drmemtrace_page {
	uint64_t key; /* address / page size */
};

struct drmemtrace_shared {
	struct drmemtrace_times *times;
	struct drmemtrace_entry_point *functions; /* by their indices */
	HASH_TABLE(struct drmemtrace_page) pages;
	uint64_t page; /* used last, + 1 */
};

/* Returns NULL after a message. */
void *drmemtrace_share(struct tf_reader *reader);
void drmemtrace_release(void *shared);

/* Notes the pages of size bytes from an address. */
void drmemtrace_use_pages(struct drmemtrace_shared *shared, uint64_t address, uint64_t size);

/*
 * Writes funclist.log and v2p.textproto, the files that the options ask for, into a folder. Returns
 * an exit code.
 */
int drmemtrace_write_shared(const struct export_folder *folder, const void *shared);

/* Returns true for the name of such a file. */
bool drmemtrace_is_shared_name(const char *name);

#endif
