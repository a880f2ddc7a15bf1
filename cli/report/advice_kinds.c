/* SPDX-License-Identifier: MIT */
#include "cli/report/advice_kinds.h"

#include <stdbool.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"
#include "cli/common/quantity.h"
#include "cli/report/facts.h"

/*
 * Cycles that an event costs. Mispredictions and divisions: Fog, The microarchitecture of Intel,
 * AMD and VIA CPUs, 2023. A miss of the instruction cache: the latency of a second level. A system
 * call: entry and exit with mitigations of Meltdown and Spectre, without the kernel's work.
 */
enum {
	MISPREDICTION = 15,
	DIVISION = 15,
	ATOMIC = 18,
	FETCH_MISS = 12,
	SYSTEM_CALL = 400,
};

/* Returns the function in whose rows of a table a number is greatest, or NULL. */
static const char *function_with_most(const json_t *document, const char *table, const char *column)
{
	const char *best = NULL;
	uint64_t most = 0;
	const json_t *row;
	size_t i;

	json_array_foreach ((json_t *)result_at(document, table), i, row)
		if (count_in(row, column) > most) {
			most = count_in(row, column);
			best = json_read_text(row, "symbol");
		}
	return best;
}

static uint64_t mispredictions(const json_t *document)
{
	return count_at(document, "mica.ppm.gas_12");
}

static char *branch_text(const json_t *document)
{
	const char *function = function_with_most(document, "ibs.by_symbol", "mispredicted");

	return text_format("Make branches predictable%s%s, or replace them by conditional moves or "
			   "tables",
			   function ? ", first in " : "", function ? function : "");
}

static char *branch_why(const json_t *document, const char *count)
{
	double missed = (double)mispredictions(document);

	return text_format("Even an ideal predictor with a history of 12 branches mispredicts %s "
			   "branches, %.1f %% of all; each costs about %d cycles.",
			   count, 100 * missed / (double)count_at(document, "mica.ppm.branches"),
			   MISPREDICTION);
}

static bool is_allocator(const char *symbol)
{
	static const char *const names[] = {
		"malloc",
		"free",
		"calloc",
		"realloc",
		"_int_malloc",
		"_int_free",
		"_int_realloc",
		"unlink_chunk",
		"sysmalloc",
		"__libc_malloc",
		"__libc_free",
		"cfree",
		"__libc_calloc",
		"__libc_realloc",
		"_int_free_merge_chunk",
		"malloc_consolidate",
		"tcache_init",
		"_int_free_create_chunk",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t length = strlen(names[i]);

		/* The dynamic symbol has a version behind its name: "malloc@@GLIBC_2.2.5". */
		if (!strncmp(symbol, names[i], length) &&
		    (!symbol[length] || symbol[length] == '@'))
			return true;
	}
	return !strncmp(symbol, "operator new", strlen("operator new")) ||
	       !strncmp(symbol, "operator delete", strlen("operator delete"));
}

/* Returns the instructions in functions that allocate and free. */
static uint64_t allocator_instructions(const json_t *document)
{
	const json_t *row;
	uint64_t sum = 0;
	size_t i;

	json_array_foreach ((json_t *)result_at(document, "mix.symbols"), i, row) {
		const char *symbol = json_read_text(row, "symbol");

		if (symbol && is_allocator(symbol))
			sum += count_in(row, "instructions");
	}
	return sum;
}

static uint64_t short_lived(const json_t *document)
{
	const json_t *row;
	uint64_t sum = 0;
	size_t i;

	json_array_foreach ((json_t *)result_at(document, "heap.allocation_paths"), i, row)
		sum += count_in(row, "short_lived");
	return sum;
}

static char *allocation_why(const json_t *document, const char *count)
{
	uint64_t allocations = count_at(document, "heap.allocations");
	uint64_t brief = short_lived(document);
	char of_all[COUNT_SIZE], of_brief[COUNT_SIZE];

	format_count(brief, of_brief);
	return text_format("Functions that allocate and free execute %s instructions; the program "
			   "makes %s allocations%s%s%s.",
			   count, format_count(allocations, of_all), brief ? ", at least " : "",
			   brief ? of_brief : "", brief ? " of them short-lived" : "");
}

static uint64_t system_calls(const json_t *document)
{
	return count_at(document, "mix.syscalls");
}

static const json_t *first_system_call(const json_t *document)
{
	return json_array_get(result_at(document, "syscalls.system_calls"), 0);
}

static char *system_call_text(const json_t *document)
{
	const char *name = json_read_text(first_system_call(document), "system_call");

	return text_format("Make fewer system calls%s%s: larger buffers, or several requests at a "
			   "time",
			   name ? ", first of " : "", name ? name : "");
}

static char *system_call_why(const json_t *document, const char *count)
{
	const json_t *first = first_system_call(document);
	const char *name = json_read_text(first, "system_call");
	char of_first[COUNT_SIZE];

	return text_format("The program makes %s system calls, %s of them %s; to enter the kernel "
			   "alone costs about %d cycles.",
			   count, format_count(count_in(first, "calls"), of_first),
			   name ? name : "of the first kind", SYSTEM_CALL);
}

static uint64_t fetch_misses(const json_t *document)
{
	enum { INSTRUCTION_CACHE = 32 << 10 };
	const json_t *row;
	uint64_t misses = 0;
	size_t i;

	json_array_foreach ((json_t *)result_at(document, "stackdist.miss_ratio_curve"), i, row) {
		const char *accesses = json_read_text(row, "accesses");

		if (accesses && !strcmp(accesses, "fetches") &&
		    count_in(row, "cache_size_bytes") == INSTRUCTION_CACHE)
			misses = count_in(row, "misses");
	}
	return misses;
}

static char *layout_why(const json_t *document, const char *count)
{
	(void)document;
	return text_format("Fetches of instructions miss a cache of 32 KiB %s times; each miss "
			   "costs about %d cycles.",
			   count, FETCH_MISS);
}

static uint64_t divisions(const json_t *document)
{
	static const char *const names[] = { "div", "idiv" };
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		sum += count_in(row_with(document, "mix.mnemonics", "mnemonic", names[i]),
				"instructions");
	return sum;
}

static char *division_why(const json_t *document, const char *count)
{
	(void)document;
	return text_format("The program divides integers %s times; each division costs about %d "
			   "cycles.",
			   count, DIVISION);
}

static uint64_t atomics(const json_t *document)
{
	return count_in(row_with(document, "mix.classes", "class", "atomic"), "instructions");
}

static char *atomic_why(const json_t *document, const char *count)
{
	(void)document;
	return text_format("The program executes %s atomic instructions; each costs about %d "
			   "cycles, even without contention.",
			   count, ATOMIC);
}

static uint64_t linker_instructions(const json_t *document)
{
	return count_in(row_with(document, "mix.modules", "module", "ld-linux-x86-64.so.2"),
			"instructions");
}

static char *linking_why(const json_t *document, const char *count)
{
	(void)document;
	return text_format("The dynamic linker executes %s instructions.", count);
}

/* ---- the table ----------------------------------------------------------------------------- */

const struct advice_kind advice_kinds[] = {
	{ "ppm", "ppm", "mispredicted branches", MISPREDICTION, NULL, branch_text, mispredictions,
	  branch_why },
	{ "symbols", "heap", "instructions", 0,
	  "Allocate less: reuse objects, or allocate many at a time", NULL, allocator_instructions,
	  allocation_why },
	{ "syscalls", "syscalls", "system calls", SYSTEM_CALL, NULL, system_call_text, system_calls,
	  system_call_why },
	{ "stackdist", "curve", "misses of fetches", FETCH_MISS,
	  "Bring the code that runs together closer together: profile-guided optimization, or less "
	  "inlining",
	  NULL, fetch_misses, layout_why },
	{ "mnemonics", "mix", "divisions", DIVISION,
	  "Avoid divisions of integers: divide by constants, multiply by reciprocals, or use "
	  "powers of two",
	  NULL, divisions, division_why },
	{ "mix", "mix", "atomic instructions", ATOMIC,
	  "Use fewer atomic operations: work on copies of a thread's own, and combine them", NULL,
	  atomics, atomic_why },
	{ "modules", "functions", "instructions", 0,
	  "Link the program statically, or with fewer libraries and symbols", NULL,
	  linker_instructions, linking_why },
};

const size_t n_advice_kinds = sizeof(advice_kinds) / sizeof(*advice_kinds);
