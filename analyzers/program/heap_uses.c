/* SPDX-License-Identifier: MIT */
/*
 * Objects of at most SMALL bytes, at multiples of GRANULE, are found in a table of pages: each
 * granule of a page has the object that begins before its end; two such objects never share a
 * granule. All other objects are found in a map of ranges.
 *
 * A bit for each byte and kind tells whether there was such an access. An object of at most CHUNK
 * bytes has these bits itself; a larger one has them in chunks for the parts with accesses. Parts
 * that the kernel accessed as a whole are ranges, whose memory does not depend on their length.
 */
#include "analyzers/program/heap_uses.h"

#include <string.h>

#include "cli/common/checked.h"

enum { PAGE = 1024, GRANULE = 16, SMALL = PAGE, CHUNK = 512, RECENT = 256 };

struct heap_page {
	struct heap_page_key {
		uint64_t page; /* address / PAGE */
		uint64_t process;
	} key;
	struct heap_use **owners; /* by granule; NULL: the page has no objects now */
	uint32_t objects;
};

/* Remembers the contents of a page that was used lately. */
struct heap_page_slot {
	struct heap_page_key key;
	uint64_t epoch;           /* 0: the slot is empty */
	struct heap_use **owners; /* as those of the page */
	struct heap_use *only;    /* the object that has all of the page, or NULL */
	bool mixed;               /* other objects than small ones have a part of the page */
};

struct heap_chunk {
	uint64_t key; /* offset / CHUNK */
	uint64_t bits[2][CHUNK / 64];
};

struct heap_use {
	uint64_t address, size;
	uint64_t accesses[2], bytes[2];
	struct heap_offsets *offsets; /* NULL: not counted */
	struct heap_use *next, **link;
	uint32_t process, owner;
	HASH_TABLE(struct heap_chunk) chunks; /* of more than CHUNK bytes */
	struct range_map whole[2];            /* numbers of chunks that were accessed as a whole */
	uint64_t bits[];                      /* of at most CHUNK bytes: reads, then writes */
};

void heap_uses_init(struct heap_uses *uses, uint32_t n_processes)
{
	*uses = (struct heap_uses){ .n_processes = n_processes, .lowest = UINT64_MAX, .epoch = 1 };
	uses->large = checked_array(n_processes, sizeof(*uses->large));
	uses->recent = checked_array(RECENT, sizeof(*uses->recent));
}

/* ---- the bits of an object --------------------------------------------------------------- */

static size_t words_of(uint64_t size)
{
	return size > CHUNK ? 0 : (size + 63) / 64;
}

/* Returns the word with the bits of the bytes from 64 * n on. */
static uint64_t *word_at(struct heap_use *use, enum heap_use_kind kind, uint64_t n)
{
	struct heap_chunk *chunk;

	if (use->size <= CHUNK)
		return &use->bits[kind * words_of(use->size) + n];
	chunk = checked(TABLE_PUT(use->chunks, n / (CHUNK / 64)));
	return &chunk->bits[kind][n % (CHUNK / 64)];
}

/* Sets the bits of the bytes first .. end - 1. */
static inline void set_bits(struct heap_use *use, enum heap_use_kind kind, uint64_t first,
			    uint64_t end)
{
	while (first < end) {
		uint64_t n = first / 64, upto = n * 64 + 64 < end ? n * 64 + 64 : end;

		*word_at(use, kind, n) |= UINT64_MAX >> (64 - (upto - first)) << first % 64;
		first = upto;
	}
}

/* Does the same; the memory does not depend on the number of bytes. */
static void set_range(struct heap_use *use, enum heap_use_kind kind, uint64_t first, uint64_t end)
{
	uint64_t whole = (first + CHUNK - 1) / CHUNK, behind = end / CHUNK;

	if (use->size <= CHUNK || whole >= behind) {
		set_bits(use, kind, first, end);
		return;
	}
	set_bits(use, kind, first, whole * CHUNK);
	set_bits(use, kind, behind * CHUNK, end);
	if (!range_map_set(&use->whole[kind], (struct range){ whole, behind - 1, use }))
		checked(NULL);
}

static uint64_t count_bits(const uint64_t *words, size_t n)
{
	uint64_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += (unsigned)__builtin_popcountll(words[i]);
	return count;
}

/* Returns the bytes that were accessed. */
static uint64_t accessed(const struct heap_use *use, enum heap_use_kind kind)
{
	const struct range_map *whole = &use->whole[kind];
	const struct range *range = range_map_at_or_above(whole, 0);
	size_t words = words_of(use->size);
	uint64_t count = count_bits(use->bits + kind * words, words);

	for (size_t i = 0; i < use->chunks.count; i++)
		if (!range_map_at(whole, use->chunks.at[i].key))
			count += count_bits(use->chunks.at[i].bits[kind], CHUNK / 64);
	for (; range; range = range_map_at_or_above(whole, range->last + 1))
		count += (range->last - range->first + 1) * CHUNK;
	return count;
}

/* ---- where objects are ------------------------------------------------------------------- */

static struct heap_page_slot *slot_of(const struct heap_uses *uses, const struct heap_page_key *key)
{
	return &uses->recent[(key->page ^ key->process) % RECENT];
}

static void fill_slot(const struct heap_uses *uses, struct heap_page_slot *slot,
		      struct heap_page_key key)
{
	const struct heap_page *page = TABLE_FIND(uses->pages, key);
	uint64_t first = key.page * PAGE, last = first + PAGE - 1;
	const struct range *range = range_map_at_or_above(&uses->large[key.process], first);

	*slot = (struct heap_page_slot){ .key = key, .epoch = uses->epoch };
	slot->owners = page ? page->owners : NULL;
	if (!range || range->first > last)
		return;
	if (range->first <= first && range->last >= last)
		slot->only = (struct heap_use *)range->value;
	else
		slot->mixed = true;
}

/* Returns what is in the page with an address. */
static const struct heap_page_slot *page_at(const struct heap_uses *uses, uint32_t process,
					    uint64_t address)
{
	struct heap_page_key key = { address / PAGE, process };
	struct heap_page_slot *slot = slot_of(uses, &key);

	if (slot->key.page != key.page || slot->key.process != process ||
	    slot->epoch != uses->epoch)
		fill_slot(uses, slot, key);
	return slot;
}

static bool is_small(const struct heap_use *use)
{
	return use->size <= SMALL && use->address % GRANULE == 0;
}

/* The part of a small object in a page. */
struct page_part {
	struct heap_page_key key;
	unsigned first, end; /* granules */
};

/* Goes on to the next page, from *at on, an offset in the object. */
static bool next_part(const struct heap_use *use, uint64_t *at, struct page_part *part)
{
	uint64_t address = use->address + *at, bytes = PAGE - address % PAGE;

	if (*at >= use->size)
		return false;
	if (bytes > use->size - *at)
		bytes = use->size - *at;
	part->key = (struct heap_page_key){ address / PAGE, use->process };
	part->first = address % PAGE / GRANULE;
	part->end = (unsigned)((address % PAGE + bytes + GRANULE - 1) / GRANULE);
	*at += bytes;
	return true;
}

static void place_small(struct heap_uses *uses, struct heap_use *use)
{
	struct page_part part;
	uint64_t at = 0;

	while (next_part(use, &at, &part)) {
		struct heap_page *page = checked(TABLE_PUT(uses->pages, part.key));

		if (!page->owners)
			page->owners = checked_array(PAGE / GRANULE, sizeof(struct heap_use *));
		slot_of(uses, &part.key)->epoch = 0;
		page->objects++;
		for (unsigned i = part.first; i < part.end; i++)
			page->owners[i] = use;
	}
}

static void displace_small(struct heap_uses *uses, struct heap_use *use)
{
	struct page_part part;
	uint64_t at = 0;

	while (next_part(use, &at, &part)) {
		struct heap_page *page = TABLE_FIND(uses->pages, part.key);

		for (unsigned i = part.first; i < part.end; i++)
			page->owners[i] = NULL;
		if (--page->objects)
			continue;
		slot_of(uses, &part.key)->epoch = 0;
		free(page->owners);
		page->owners = NULL;
	}
}

static void place(struct heap_uses *uses, struct heap_use *use)
{
	struct range range = { use->address, use->address + use->size - 1, use };

	uses->epoch += !is_small(use);
	if (is_small(use))
		place_small(uses, use);
	else if (!range_map_set(&uses->large[use->process], range))
		checked(NULL);
	if (range.first < uses->lowest)
		uses->lowest = range.first;
	if (range.last > uses->highest)
		uses->highest = range.last;
}

static void displace(struct heap_uses *uses, struct heap_use *use)
{
	uses->epoch += !is_small(use);
	if (is_small(use))
		displace_small(uses, use);
	else if (!range_map_clear(&uses->large[use->process], use->address,
				  use->address + use->size - 1))
		checked(NULL);
}

/* Returns the use of the object that has an address in a page, or NULL. */
static struct heap_use *find(const struct heap_uses *uses, const struct heap_page_slot *page,
			     uint64_t address)
{
	struct heap_use *use = page->owners ? page->owners[address % PAGE / GRANULE] : NULL;
	const struct range *range;

	if (use && address - use->address < use->size)
		return use;
	if (!page->mixed)
		return page->only;
	range = range_map_at(&uses->large[page->key.process], address);
	return range ? (struct heap_use *)range->value : NULL;
}

/* Returns an address in the page, or behind it, below which no object begins after this one. */
static uint64_t next_start(const struct heap_uses *uses, const struct heap_page_slot *page,
			   uint64_t address)
{
	uint64_t next = (address | (page->owners ? GRANULE - 1 : PAGE - 1)) + 1;
	const struct range *range = page->mixed
					    ? range_map_at_or_above(&uses->large[page->key.process],
								    address)
					    : NULL;

	return range && range->first < next ? range->first : next;
}

/* ---- objects ----------------------------------------------------------------------------- */

void heap_uses_begin(struct heap_uses *uses, struct heap_object *object,
		     struct heap_offsets *offsets)
{
	size_t words = words_of(object->size);
	struct heap_use *use = checked(calloc(1, sizeof(*use) + 2 * words * sizeof(*use->bits)));

	use->address = object->address;
	use->size = object->size;
	use->process = object->process;
	use->owner = object->owner;
	use->offsets = offsets;
	use->next = uses->all;
	use->link = &uses->all;
	if (use->next)
		use->next->link = &use->next;
	uses->all = use;
	if (use->size)
		place(uses, use);
	object->use = use;
}

static void add_sums(const struct heap_use *use, struct heap_use_sums *sums)
{
	for (unsigned kind = 0; kind < 2; kind++) {
		sums->accesses[kind] += use->accesses[kind];
		sums->bytes[kind] += use->bytes[kind];
		sums->never[kind] += use->size - accessed(use, kind);
		sums->objects_never[kind] += use->size && !use->accesses[kind];
	}
}

static void free_use(struct heap_use *use)
{
	TABLE_FREE(use->chunks);
	range_map_free(&use->whole[0]);
	range_map_free(&use->whole[1]);
	free(use);
}

void heap_uses_end(struct heap_uses *uses, struct heap_object *object, struct heap_use_sums *sums)
{
	struct heap_use *use = object->use;

	if (!use)
		return;
	object->use = NULL;
	if (sums)
		add_sums(use, sums);
	if (use->size)
		displace(uses, use);
	*use->link = use->next;
	if (use->next)
		use->next->link = use->link;
	free_use(use);
}

void heap_uses_visit_live(const struct heap_uses *uses,
			  void (*visit)(void *opaque, uint32_t owner,
					const struct heap_use_sums *sums),
			  void *opaque)
{
	for (const struct heap_use *use = uses->all; use; use = use->next) {
		struct heap_use_sums sums = { 0 };

		add_sums(use, &sums);
		visit(opaque, use->owner, &sums);
	}
}

void heap_uses_free(struct heap_uses *uses)
{
	while (uses->all) {
		struct heap_use *next = uses->all->next;

		free_use(uses->all);
		uses->all = next;
	}
	for (uint32_t i = 0; i < uses->n_processes; i++)
		range_map_free(&uses->large[i]);
	for (size_t i = 0; i < uses->pages.count; i++)
		free(uses->pages.at[i].owners);
	TABLE_FREE(uses->pages);
	free(uses->large);
	free(uses->recent);
}

/* ---- accesses ---------------------------------------------------------------------------- */

static void count_access(struct heap_use *use, enum heap_use_kind kind, uint64_t first,
			 uint64_t end)
{
	use->accesses[kind]++;
	use->bytes[kind] += end - first;
	if (use->offsets && use->offsets->size) {
		use->offsets->changes[first][kind]++;
		use->offsets->changes[end][kind]--;
	}
}

void heap_uses_access(struct heap_uses *uses, uint32_t process, uint64_t address, uint32_t size,
		      enum heap_use_kind kind)
{
	uint64_t end = address + size, upto;

	if (address > uses->highest || end <= uses->lowest)
		return;
	for (uint64_t at = address; at < end && at >= address; at = upto) {
		const struct heap_page_slot *page = page_at(uses, process, at);
		struct heap_use *use = find(uses, page, at);

		if (!use) {
			upto = next_start(uses, page, at);
			continue;
		}
		upto = use->address + use->size < end ? use->address + use->size : end;
		count_access(use, kind, at - use->address, upto - use->address);
		set_bits(use, kind, at - use->address, upto - use->address);
	}
}

static void access_range(struct heap_use *use, uint64_t first, uint64_t size,
			 enum heap_use_kind kind)
{
	if (size > use->size - first)
		size = use->size - first;
	if (!size)
		return;
	count_access(use, kind, first, first + size);
	set_range(use, kind, first, first + size);
}

void heap_uses_access_object(struct heap_object *object, uint64_t size, enum heap_use_kind kind)
{
	if (object->use)
		access_range(object->use, 0, size, kind);
}

void heap_uses_access_range(struct heap_uses *uses, uint32_t process, uint64_t address,
			    uint64_t size, enum heap_use_kind kind)
{
	struct heap_use *use = find(uses, page_at(uses, process, address), address);

	if (use)
		access_range(use, address - use->address, size, kind);
}
