/* SPDX-License-Identifier: MIT */
#include "cli/report/advice.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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

static const double LEAST_SHARE = 0.01; /* of cycles; less is not worth the work */

struct advice {
	char *text, *why;    /* owned */
	const char *part;    /* whose command prints the number */
	const char *section; /* of the page */
	uint64_t number;
	const char *unit;
	double share; /* of the program's cycles, estimated, or counted exactly: */
	bool exact;
};

struct advisor {
	const json_t *document;
	double cycles; /* of the program */
	ARRAY(struct advice) given;
};

/* ---- entries ------------------------------------------------------------------------------- */

static void give(struct advisor *a, struct advice advice)
{
	if (advice.share > 1)
		advice.share = 1;
	if (advice.share >= LEAST_SHARE) {
		CHECKED_RESERVE(a->given, a->given.count + 1);
		a->given.at[a->given.count++] = advice;
		return;
	}
	free(advice.text);
	free(advice.why);
}

static double share_of(const struct advisor *a, double events, double cost)
{
	return a->cycles > 0 ? events * cost / a->cycles : 0;
}

/* Returns the function in whose rows of a table a number is greatest, or NULL. */
static const char *function_with_most(const struct advisor *a, const char *table,
				      const char *column)
{
	const char *best = NULL;
	uint64_t most = 0;
	const json_t *row;
	size_t i;

	json_array_foreach((json_t *)result_at(a->document, table), i,
			   row) if (count_in(row, column) > most)
	{
		most = count_in(row, column);
		best = json_read_text(row, "symbol");
	}
	return best;
}

/* ---- kinds of advice ----------------------------------------------------------------------- */

/* Makes a sentence of trace-slo's advice, which begins in lower case. */
static char *sentence(const char *words)
{
	char *text = checked_copy(words);

	if (*text >= 'a' && *text <= 'z')
		*text = (char)(*text - 'a' + 'A');
	return text;
}

static void advise_locality(struct advisor *a)
{
	enum { OF_SLO = 2 };
	const json_t *rows = result_at(a->document, "slo.refactorings");

	for (size_t i = 0; i < json_array_size(rows) && i < OF_SLO; i++) {
		const json_t *row = json_array_get(rows, i);
		const char *words = json_read_text(row, "advice");
		uint64_t reuses = count_in(row, "reuses"), lost = count_in(row, "lost_cycles");
		char of_reuses[COUNT_SIZE], of_lost[COUNT_SIZE];
		double share = share_of(a, (double)lost, 1);

		if (!words)
			continue;
		give(a, (struct advice){
				.text = sentence(words),
				.why = text_format("%s reuses of data are so far apart that caches "
						   "miss; that costs about %s cycles, %.0f %% of "
						   "all.",
						   format_count(reuses, of_reuses),
						   format_count(lost, of_lost), 100 * share),
				.part = "slo",
				.section = "locality",
				.number = lost,
				.unit = "cycles",
				.share = share,
			});
	}
}

static void advise_branches(struct advisor *a)
{
	uint64_t branches = count_at(a->document, "mica.ppm.branches");
	uint64_t missed = count_at(a->document, "mica.ppm.gas_12");
	const char *function = function_with_most(a, "ibs.by_symbol", "mispredicted");
	double share = share_of(a, (double)missed, MISPREDICTION);
	char text[COUNT_SIZE];

	if (!branches)
		return;
	give(a,
	     (struct advice){
		     .text = text_format("Make branches predictable%s%s, or replace them by "
					 "conditional moves or tables",
					 function ? ", first in " : "", function ? function : ""),
		     .why = text_format("Even an ideal predictor with a history of 12 "
					"branches mispredicts %s branches, %.1f %% of all; at "
					"%d cycles each, that is %.0f %% of the cycles.",
					format_count(missed, text),
					100 * (double)missed / (double)branches, MISPREDICTION,
					100 * share),
		     .part = "ppm",
		     .section = "ppm",
		     .number = missed,
		     .unit = "mispredicted branches",
		     .share = share,
	     });
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
static uint64_t allocator_instructions(const struct advisor *a)
{
	const json_t *row;
	uint64_t sum = 0;
	size_t i;

	json_array_foreach((json_t *)result_at(a->document, "mix.symbols"), i, row)
	{
		const char *symbol = json_read_text(row, "symbol");

		if (symbol && is_allocator(symbol))
			sum += count_in(row, "instructions");
	}
	return sum;
}

static uint64_t short_lived(const struct advisor *a)
{
	const json_t *row;
	uint64_t sum = 0;
	size_t i;

	json_array_foreach((json_t *)result_at(a->document, "heap.allocation_paths"), i, row)
		sum += count_in(row, "short_lived");
	return sum;
}

static void advise_allocations(struct advisor *a)
{
	uint64_t instructions = allocator_instructions(a);
	uint64_t all = count_at(a->document, "mix.instructions");
	uint64_t allocations = count_at(a->document, "heap.allocations");
	uint64_t brief = short_lived(a);
	char of_all[COUNT_SIZE], of_brief[COUNT_SIZE];
	double share = all ? (double)instructions / (double)all : 0;

	format_count(brief, of_brief);
	give(a, (struct advice){
			.text = checked_copy("Allocate less: reuse objects, or allocate many at "
					     "a time"),
			.why = text_format(
				"%.1f %% of the instructions are in functions that "
				"allocate and free; the program makes %s allocations%s%s%s.",
				100 * share, format_count(allocations, of_all),
				brief ? ", at least " : "", brief ? of_brief : "",
				brief ? " of them short-lived" : ""),
			.part = "symbols",
			.section = "heap",
			.number = instructions,
			.unit = "instructions",
			.share = share,
			.exact = true,
		});
}

static void advise_system_calls(struct advisor *a)
{
	uint64_t calls = count_at(a->document, "mix.syscalls");
	const json_t *first = json_array_get(result_at(a->document, "syscalls.system_calls"), 0);
	const char *name = json_read_text(first, "system_call");
	double share = share_of(a, (double)calls, SYSTEM_CALL);
	char of_all[COUNT_SIZE], of_first[COUNT_SIZE];

	give(a, (struct advice){
			.text = text_format("Make fewer system calls%s%s: larger buffers, or "
					    "several requests at a time",
					    name ? ", first of " : "", name ? name : ""),
			.why = text_format("The program makes %s system calls, %s of them %s; to "
					   "enter the kernel alone costs about %d cycles.",
					   format_count(calls, of_all),
					   format_count(count_in(first, "calls"), of_first),
					   name ? name : "of the first kind", SYSTEM_CALL),
			.part = "syscalls",
			.section = "recorded",
			.number = calls,
			.unit = "system calls",
			.share = share,
		});
}

static void advise_code_layout(struct advisor *a)
{
	enum { INSTRUCTION_CACHE = 32 << 10 };
	const json_t *row;
	uint64_t misses = 0;
	double share;
	char text[COUNT_SIZE];
	size_t i;

	json_array_foreach((json_t *)result_at(a->document, "stackdist.miss_ratio_curve"), i, row)
	{
		const char *accesses = json_read_text(row, "accesses");

		if (accesses && !strcmp(accesses, "fetches") &&
		    count_in(row, "cache_size_bytes") == INSTRUCTION_CACHE)
			misses = count_in(row, "misses");
	}
	share = share_of(a, (double)misses, FETCH_MISS);
	give(a, (struct advice){
			.text = checked_copy("Bring the code that runs together closer together: "
					     "profile-guided optimization, or less inlining"),
			.why = text_format("Fetches of instructions miss a cache of 32 KiB %s "
					   "times; at %d cycles each, that is %.0f %% of the "
					   "cycles.",
					   format_count(misses, text), FETCH_MISS, 100 * share),
			.part = "stackdist",
			.section = "curve",
			.number = misses,
			.unit = "misses of fetches",
			.share = share,
		});
}

static uint64_t divisions(const struct advisor *a)
{
	static const char *const names[] = { "div", "idiv" };
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		sum += count_in(row_with(a->document, "mix.mnemonics", "mnemonic", names[i]),
				"instructions");
	return sum;
}

static void advise_divisions(struct advisor *a)
{
	uint64_t number = divisions(a);
	double share = share_of(a, (double)number, DIVISION);
	char text[COUNT_SIZE];

	give(a, (struct advice){
			.text = checked_copy("Avoid divisions of integers: divide by constants, "
					     "multiply by reciprocals, or use powers of two"),
			.why = text_format("The program divides integers %s times; at %d cycles "
					   "each, that is %.0f %% of the cycles.",
					   format_count(number, text), DIVISION, 100 * share),
			.part = "mnemonics",
			.section = "mix",
			.number = number,
			.unit = "divisions",
			.share = share,
		});
}

static void advise_atomics(struct advisor *a)
{
	uint64_t number = count_in(row_with(a->document, "mix.classes", "class", "atomic"),
				   "instructions");
	double share = share_of(a, (double)number, ATOMIC);
	char text[COUNT_SIZE];

	give(a, (struct advice){
			.text = checked_copy("Use fewer atomic operations: work on copies of a "
					     "thread's own, and combine them"),
			.why = text_format("The program executes %s atomic instructions; at %d "
					   "cycles each, even without contention, that is %.0f %% "
					   "of the cycles.",
					   format_count(number, text), ATOMIC, 100 * share),
			.part = "mix",
			.section = "mix",
			.number = number,
			.unit = "atomic instructions",
			.share = share,
		});
}

static void advise_linking(struct advisor *a)
{
	const json_t *row = row_with(a->document, "mix.modules", "module", "ld-linux-x86-64.so.2");
	uint64_t all = count_at(a->document, "mix.instructions");
	uint64_t number = count_in(row, "instructions");
	double share = all ? (double)number / (double)all : 0;
	char text[COUNT_SIZE];

	give(a, (struct advice){
			.text = checked_copy("Link the program statically, or with fewer libraries "
					     "and symbols"),
			.why = text_format("The dynamic linker executes %s instructions, %.0f %% "
					   "of all.",
					   format_count(number, text), 100 * share),
			.part = "modules",
			.section = "functions",
			.number = number,
			.unit = "instructions",
			.share = share,
			.exact = true,
		});
}

/* ---- the choice ---------------------------------------------------------------------------- */

static int by_share(const void *a, const void *b)
{
	const struct advice *first = a, *second = b;

	if (first->share != second->share)
		return first->share < second->share ? 1 : -1;
	return strcmp(first->part, second->part);
}

static json_t *entry_of(const struct advisor *a, const struct advice *advice)
{
	json_t *entry = checked(json_object());
	json_t *command = json_object_get(json_object_get(a->document, "commands"), advice->part);

	json_member(entry, "text", json_text(advice->text));
	json_member(entry, "why", json_text(advice->why));
	if (command)
		json_member(entry, "command", json_incref(command));
	json_member(entry, "section", json_word(advice->section));
	json_member(entry, "number", json_number(advice->number));
	json_member(entry, "unit", json_word(advice->unit));
	json_member(entry, "share_percent", checked(json_real(100 * advice->share)));
	json_member(entry, "exactness", json_word(advice->exact ? "exact" : "modelled"));
	return entry;
}

json_t *advice_of(const json_t *document)
{
	static void (*const kinds[])(struct advisor *) = {
		advise_locality,    advise_branches,  advise_allocations, advise_system_calls,
		advise_code_layout, advise_divisions, advise_atomics,     advise_linking,
	};
	struct advisor a = { .document = document };
	json_t *list = checked(json_array());

	a.cycles = (double)count_at(document, "ibs.cycles_of_all_threads");
	if (a.cycles <= 0)
		a.cycles = (double)count_in(first_trace(document), "instructions");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		kinds[i](&a);
	if (a.given.count)
		qsort(a.given.at, a.given.count, sizeof(*a.given.at), by_share);
	for (size_t i = 0; i < a.given.count; i++) {
		if (i < MOST_ADVICE)
			json_element(list, entry_of(&a, &a.given.at[i]));
		free(a.given.at[i].text);
		free(a.given.at[i].why);
	}
	free(a.given.at);
	return list;
}
