/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/page_set.h"

#include "cli/common/checked.h"

void page_set_begin(struct page_set *set)
{
	memset(set, 0, sizeof(*set));
}

void page_set_free(struct page_set *set)
{
	TABLE_FREE(set->groups);
	free(set->large.at);
	memset(set, 0, sizeof(*set));
}

static void add_run(page_runs *runs, uint64_t first, uint64_t last)
{
	CHECKED_RESERVE(*runs, runs->count + 1);
	runs->at[runs->count++] = (struct page_run){ first, last };
}

static void add_page(struct page_set *set, uint64_t page, bool joined)
{
	struct page_group *group = checked(TABLE_PUT(set->groups, page / GROUP_PAGES));
	uint64_t bit = UINT64_C(1) << page % 64;
	size_t word = page % GROUP_PAGES / 64;

	group->touched[word] |= bit;
	if (joined)
		group->joined[word] |= bit;
}

/* Runs that are collected before they are joined. */
enum { LARGE_RUNS = 1 << 12 };

static void add_pages(struct page_set *set, uint64_t first, uint64_t last)
{
	if (last - first >= GROUP_PAGES) {
		size_t count = set->large.count;
		const struct page_run *newest = count ? &set->large.at[count - 1] : NULL;

		/* An instruction that is repeated over one buffer adds it again and again. */
		if (newest && first >= newest->first && last <= newest->last)
			return;
		add_run(&set->large, first, last);
		if (set->large.count > set->most_large) {
			page_runs_sort(&set->large);
			set->most_large = 2 * set->large.count + LARGE_RUNS;
		}
		return;
	}
	for (uint64_t page = first; page <= last; page++)
		add_page(set, page, page < last);
}

void page_set_add(struct page_set *set, uint64_t address, uint64_t size)
{
	uint64_t first = address >> PAGE_BITS, end = address + size - 1;
	uint64_t last = end >> PAGE_BITS;

	if (end < address) { /* it wraps at the end of the address space */
		add_pages(set, first, UINT64_MAX >> PAGE_BITS);
		first = 0;
	}
	add_pages(set, first, last);
	set->recent[last % RECENT_PAGES] = last + 1;
}

void page_set_unite(struct page_set *set, const struct page_set *other)
{
	for (size_t i = 0; i < other->groups.count; i++) {
		const struct page_group *from = &other->groups.at[i];
		struct page_group *group = checked(TABLE_PUT(set->groups, from->key));

		for (unsigned w = 0; w < GROUP_PAGES / 64; w++) {
			group->touched[w] |= from->touched[w];
			group->joined[w] |= from->joined[w];
		}
	}
	for (size_t i = 0; i < other->large.count; i++)
		add_run(&set->large, other->large.at[i].first, other->large.at[i].last);
}

static int compare_runs(const void *a, const void *b)
{
	const struct page_run *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

void page_runs_sort(page_runs *runs)
{
	size_t n = 0;

	if (!runs->count)
		return;
	qsort(runs->at, runs->count, sizeof(*runs->at), compare_runs);
	for (size_t i = 1; i < runs->count; i++) {
		const struct page_run *run = &runs->at[i];

		if (run->first > runs->at[n].last)
			runs->at[++n] = *run;
		else if (run->last > runs->at[n].last)
			runs->at[n].last = run->last;
	}
	runs->count = n + 1;
}

/* Appends the runs of a group; one that reaches into the next group ends with that group's page. */
static void group_runs(const struct page_group *group, page_runs *runs)
{
	uint64_t base = group->key * GROUP_PAGES, first = 0;
	bool inside = false;

	for (unsigned p = 0; p < GROUP_PAGES; p++) {
		uint64_t bit = UINT64_C(1) << p % 64;

		if (!(group->touched[p / 64] & bit))
			continue;
		if (!inside)
			first = p;
		inside = group->joined[p / 64] & bit;
		if (!inside)
			add_run(runs, base + first, base + p);
	}
	if (inside)
		add_run(runs, base + first, base + GROUP_PAGES);
}

void page_set_runs(const struct page_set *set, page_runs *runs)
{
	for (size_t i = 0; i < set->groups.count; i++)
		group_runs(&set->groups.at[i], runs);
	for (size_t i = 0; i < set->large.count; i++)
		add_run(runs, set->large.at[i].first, set->large.at[i].last);
	page_runs_sort(runs);
}
