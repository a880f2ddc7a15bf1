/* SPDX-License-Identifier: MIT */
/* The mappings of a process. */
#ifndef SPACE_H
#define SPACE_H

#include "recorder/core/session.h"
#include "recorder/program/modules.h"

/* The name in /proc/PID/maps of the file that the recorder maps. */
#define SPACE_OWN_FILE "tracelab"
#define SPACE_OWN      "/memfd:" SPACE_OWN_FILE

/* A mapping: pages with the same origin and protection, much like a line of /proc/PID/maps. */
struct mapping {
	uint64_t start, end;
	uint64_t file_offset;  /* file offset of start, in bytes */
	uint32_t protection;   /* PROT_* */
	bool shared;           /* changes by others are visible */
	bool server_backed;    /* see file_servers.h */
	struct module *module; /* NULL: no file with code */
	uint64_t bias;         /* address - bias is the module's ELF address */
	char *name;            /* name in /proc/PID/maps; "" for none */
	bool exposed;          /* may be written past its protection, see space_expose */
};

/* Mappings, ascending, without overlaps. */
struct space {
	unsigned users; /* number of processes; a vfork child counts until it execs */
	struct mapping *mappings;
	size_t count, capacity;
	uint64_t code_changes; /* how often stable code may have gone or become changeable */
	uint64_t code_added;   /* how often code has been mapped */
	/* range in which changeable code came, went or changed its protection since
	 * versions_follow; end 0: none */
	uint64_t moved_start, moved_end;

	/*
	 * The latest places of module code that is mapped no more: a program may have moved it to
	 * other memory at the same place.
	 */
	struct former {
		uint64_t start, end, bias;
		struct module *module;
	} former[16];
	/* total number; the last one is at n_former - 1 modulo the array's size */
	unsigned n_former;

	bool exposed;                  /* new mappings will be exposed */
	struct code_pages *code_pages; /* NULL: no pages have been read */
	void (*free_code_pages)(struct code_pages *code_pages);
	bool own_lost;   /* the program has unmapped, moved or protected mappings of the recorder */
	bool undumpable; /* its processes have made themselves undumpable; see dumpable.h */
	bool only_root;  /* undumpable except for root */
	bool apart;      /* has left shared translations, and will get its own */
	/* owned by the translate backend, see translate/cache/space_cache.h; NULL: none */
	void *translations;
	void (*free_translations)(void *translations);
};

/* Returns true for a mapping of the recorder. */
bool space_is_own(const struct mapping *mapping);

/*
 * Returns true for code of a file that no store changes unless a system call makes it writable.
 * All other code may change at any time: it is writable, or shared, or has no file (as code of JIT
 * compilers).
 */
bool space_is_stable(const struct mapping *mapping);

/*
 * Makes none of the space's code stable: from now on a process may write to all of the space, past
 * any protection.
 */
void space_expose(struct space *space);

/* Returns true if all of [start, end) has these protection bits. */
bool space_allows(const struct space *space, uint64_t start, uint64_t end, uint32_t protection);

/* Return NULL if memory is out. A copy has no translations. */
struct space *space_new(void);
struct space *space_copy(const struct space *space);
struct space *space_share(struct space *space);
void space_release(struct space *space); /* NULL is allowed */

/* Returns the mapping at an address, or NULL. */
const struct mapping *space_find(const struct space *space, uint64_t address);

/* Returns the latest module code that was mapped at an address before, or NULL. */
const struct former *space_former(const struct space *space, uint64_t address);

/* Removes the mappings in [start, end). Returns false if memory is out. */
bool space_remove(struct space *space, uint64_t start, uint64_t end);

/*
 * Adds a mapping that replaces earlier ones there; its name is copied. Returns false if memory is
 * out.
 */
bool space_add(struct space *space, const struct mapping *mapping);

/* Changes the protection of the mappings in [start, end). Returns false if memory is out. */
bool space_protect(struct space *space, uint64_t start, uint64_t end, uint32_t protection);

/*
 * Calls visit for each mapping in [start, end) of the task's /proc/PID/maps, with name and module
 * valid only during the call, until visit returns non-zero, and returns that; or -1 with
 * session->error. A task that has ended, even if waitpid has yet to report it, has no lines.
 */
int space_read_maps(struct task *task, uint64_t start, uint64_t end,
		    int (*visit)(struct task *task, const struct mapping *mapping, void *opaque),
		    void *opaque);

#endif
