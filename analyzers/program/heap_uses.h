/* SPDX-License-Identifier: MIT */
/*
 * Counts what a program does with the bytes of the objects that it allocates: each access, and the
 * bytes that it never reads or never writes, as Valgrind's DHAT counts them. An access of several
 * objects counts for each of them, with the bytes that are the object's; other bytes do not count.
 */
#ifndef HEAP_USES_H
#define HEAP_USES_H

#include "analyzers/program/heap_objects.h"
#include "traceformat/common/hash_table.h"
#include "traceformat/common/range_map.h"

enum heap_use_kind { HEAP_READ, HEAP_WRITE };

/* The uses of the objects of a node of the call tree. Each pair has reads first, then writes. */
struct heap_use_sums {
	uint64_t accesses[2];
	uint64_t bytes[2]; /* that were accessed; a byte counts each time */
	uint64_t never[2]; /* bytes of objects that were not accessed in this way */
	uint64_t objects_never[2];
};

/* The accesses of each byte of a node's objects, if these have the same size. */
struct heap_offsets {
	uint64_t size; /* bytes; 0: sizes differ, or are too large */
	/* size + 1 differences between the accesses of a byte and of the byte before, modulo 2^64 */
	uint64_t (*changes)[2];
};

enum {
	HEAP_OFFSETS = 1024 /* the largest size, in bytes */
};

struct heap_use;

struct heap_uses {
	HASH_TABLE(struct heap_page) pages; /* with the small objects */
	struct heap_page_slot *recent;      /* pages that were used lately */
	uint64_t epoch;                     /* of the slots of recent that are valid */
	struct range_map *large;            /* by process: other objects */
	uint32_t n_processes;
	uint64_t lowest, highest; /* addresses that objects had */
	struct heap_use *all;     /* of live objects */
};

/* Initializes uses. This and the functions below end the process if memory is out. */
void heap_uses_init(struct heap_uses *uses, uint32_t n_processes);
void heap_uses_free(struct heap_uses *uses);

/*
 * Begins the uses of an object. offsets: of its node, or NULL; they must outlive the object. The
 * memory of objects without accesses is proportional to their number.
 */
void heap_uses_begin(struct heap_uses *uses, struct heap_object *object,
		     struct heap_offsets *offsets);

/* Ends the uses of an object, and adds them to the sums of its node unless these are NULL. */
void heap_uses_end(struct heap_uses *uses, struct heap_object *object, struct heap_use_sums *sums);

/* Calls visit(opaque, owner, sums) for each object that lives, with the owner of the object. */
void heap_uses_visit_live(const struct heap_uses *uses,
			  void (*visit)(void *opaque, uint32_t owner,
					const struct heap_use_sums *sums),
			  void *opaque);

/* Counts an access of an instruction. */
void heap_uses_access(struct heap_uses *uses, uint32_t process, uint64_t address, uint32_t size,
		      enum heap_use_kind kind);

/* Counts an access of the first `size` bytes of an object, or of fewer if it is smaller. */
void heap_uses_access_object(struct heap_object *object, uint64_t size, enum heap_use_kind kind);

/* Counts an access of the kernel, of the object that contains the address. */
void heap_uses_access_range(struct heap_uses *uses, uint32_t process, uint64_t address,
			    uint64_t size, enum heap_use_kind kind);

#endif
