/* SPDX-License-Identifier: MIT */
/* The files (and the vdso) that code comes from: build-ids, segments, symbols. */
#ifndef MODULES_H
#define MODULES_H

#include "recorder/core/session.h"
#include "recorder/elf/module.h"

struct modules;

struct modules *modules_new(void);
void modules_free(struct modules *modules);

/*
 * Finds or adds the module of a mapped file. path: its name in the trace; open_path: where it can
 * be opened, for example /proc/PID/map_files/... . *module is NULL if it is no ELF file or cannot
 * be read. Returns 0 or -1.
 */
int modules_file(struct session *session, const char *path, const char *open_path,
		 struct module **module);

/*
 * Finds or adds the module of a file on a file system that the recorder does not wait for
 * (file_servers.h). identity has device and inode. If the file cannot be read in time, the module
 * has no symbols, and a warning is given.
 */
int modules_served_file(struct session *session, const char *path, const char *open_path,
			const struct stat *identity, struct module **module);

/* Returns the module of an index in the trace, or NULL. */
const struct module *modules_at(const struct modules *modules, uint32_t index);

/* Returns the path of the module of an index in the trace, or "" if there is none. */
const char *modules_path(const struct modules *modules, uint32_t index);

/*
 * Reads code of the module's file at an ELF address. Returns the number of bytes; 0 if there are
 * none or the file has changed.
 */
size_t module_read_code(struct module *module, uint64_t address, uint8_t *bytes, size_t size);

/* Finds or adds the module of the vdso that a task has at [start, end). */
int modules_vdso(struct session *session, const struct task *task, uint64_t start, uint64_t end,
		 struct module **module);

#endif
