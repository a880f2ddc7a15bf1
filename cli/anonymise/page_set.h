/* SPDX-License-Identifier: MIT */
/* Sets of pages of 4 KiB that a program touches, with the borders that single accesses cross. */
#ifndef PAGE_SET_H
#define PAGE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "traceformat/common/hash_table.h"

enum { PAGE_BITS = 12, PAGE = 1 << PAGE_BITS, GROUP_PAGES = 512, RECENT_PAGES = 1024 };

/* Pages by number (address / PAGE), both inclusive. */
struct page_run {
	uint64_t first, last;
};
typedef ARRAY(struct page_run) page_runs;

struct page_group {
	uint64_t key; /* page / GROUP_PAGES */
	uint64_t touched[GROUP_PAGES / 64];
	uint64_t joined[GROUP_PAGES / 64]; /* bit p: an access reaches from page p into p + 1 */
};

/* A set is made by page_set_begin. */
struct page_set {
	HASH_TABLE(struct page_group) groups;
	page_runs large;               /* runs that are longer than a group */
	size_t most_large;             /* of them, until they are sorted and joined */
	uint64_t recent[RECENT_PAGES]; /* by the low bits of the page: 1 + a page in the set */
};

void page_set_begin(struct page_set *set);
void page_set_free(struct page_set *set);

/* Adds the pages of `size` bytes at `address`, size > 0, which may not be parted. */
void page_set_add(struct page_set *set, uint64_t address, uint64_t size);

/* Adds an access. */
static inline void page_set_touch(struct page_set *set, uint64_t address, uint64_t size)
{
	uint64_t page = address >> PAGE_BITS;

	if (set->recent[page % RECENT_PAGES] == page + 1 && (address & (PAGE - 1)) + size <= PAGE)
		return;
	page_set_add(set, address, size);
}

/* Adds all pages of another set. */
void page_set_unite(struct page_set *set, const struct page_set *other);

/* Appends the runs of pages that accesses join, ascending, to runs. */
void page_set_runs(const struct page_set *set, page_runs *runs);

/* Sorts runs, and joins those that overlap. */
void page_runs_sort(page_runs *runs);

#endif
