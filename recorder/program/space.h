/* SPDX-License-Identifier: MIT */
/* What is mapped where in a process. */
#ifndef SPACE_H
#define SPACE_H

#include "recorder/core/session.h"
#include "recorder/program/modules.h"

/* The file that the recorder itself maps there, and its name in /proc/PID/maps. */
#define SPACE_OWN_FILE "tracelab"
#define SPACE_OWN      "/memfd:" SPACE_OWN_FILE

/* One line of /proc/PID/maps, more or less: pages with the same origin and protection. */
struct mapping {
	uint64_t start, end;
	uint64_t file_offset;  /* of start, bytes */
	uint32_t protection;   /* PROT_* */
	bool shared;           /* changes of others show */
	bool server_backed;    /* see file_servers.h */
	struct module *module; /* NULL: code here has no file */
	uint64_t bias;         /* address - bias is the module's ELF address */
	char *name;            /* as /proc/PID/maps has it; "" for none */
	bool exposed;          /* it may be written past its protection, see space_expose */
};

/* Mappings, ascending, without overlaps. */
struct space {
	unsigned users; /* processes; a vfork child is one more until it execs */
	struct mapping *mappings;
	size_t count, room;
	uint64_t code_changes; /* times that stable code may have gone or may change from now on */
	uint64_t code_added;   /* times that code has been mapped */
	uint64_t moved_start, moved_end; /* there other code has come, gone or been
						   protected, since versions_follow; end 0:
						   nowhere */

	/* Where code of modules was mapped that has gone, the last ones: a program may have moved it to
	 * other memory at the same place. */
	struct former {
		uint64_t start, end, bias;
		struct module *module;
	} former[16];
	unsigned n_former; /* in all, the last one at n_former - 1 modulo their number */

	bool exposed;                  /* mappings that are added will be */
	struct code_pages *code_pages; /* NULL: none have been read */
	void (*free_code_pages)(struct code_pages *code_pages);
	bool own_lost;      /* the program has unmapped, moved or protected what the recorder has
				   mapped there */
	bool undumpable;    /* its processes have asked to be; see dumpable.h */
	bool only_root;     /* likewise, but for root */
	bool apart;         /* it has left translations that it shared, and is to have its
				   own */
	void *translations; /* the translate backend's own, NULL: none;
				   translate/cache/space_cache.h */
	void (*free_translations)(void *translations);
};

/* True for what the recorder has mapped there. */
bool space_is_own(const struct mapping *mapping);

/*
 * True for code of a file that no store changes unless a system call makes it writable. Other code
 * may change at any time: it is writable, or shared, or without a file (where compilers write it).
 */
bool space_is_stable(const struct mapping *mapping);

/* Somebody may write to all of the space from now on, past any protection: none of its code is stable. */
void space_expose(struct space *space);

/* True if all of [start, end) has these protection bits. */
bool space_allows(const struct space *space, uint64_t start, uint64_t end, uint32_t protection);

/* NULL: memory is out. A copy has no translations. */
struct space *space_new(void);
struct space *space_copy(const struct space *space);
struct space *space_share(struct space *space);
void space_release(struct space *space); /* NULL is allowed */

/* Returns the mapping at an address, or NULL. */
const struct mapping *space_find(const struct space *space, uint64_t address);

/* Returns where module code was mapped at an address before, the last one; NULL: nowhere. */
const struct former *space_former(const struct space *space, uint64_t address);

/* Forgets what is mapped in [start, end). False: memory is out. */
bool space_remove(struct space *space, uint64_t start, uint64_t end);

/* Adds a mapping in place of what was there; its name is copied. False: memory is out. */
bool space_add(struct space *space, const struct mapping *mapping);

/* Changes the protection of what is mapped in [start, end). False: memory is out. */
bool space_protect(struct space *space, uint64_t start, uint64_t end, uint32_t protection);

/*
 * Calls visit for every line of the task's /proc/PID/maps of what is mapped in [start, end), with
 * name and module filled in for its duration, until it returns non-zero, and returns that; or -1
 * with session->error. A task that has ended, which waitpid may have yet to tell, has no lines.
 */
int space_read_maps(struct task *task, uint64_t start, uint64_t end,
		    int (*visit)(struct task *task, const struct mapping *mapping, void *opaque),
		    void *opaque);

#endif
