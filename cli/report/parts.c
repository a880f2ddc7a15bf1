/* SPDX-License-Identifier: MIT */
#include "cli/report/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

#define COUNTED "Counted over all executed instructions."

/* From 256 bytes to 1 GiB, two sizes for each power of two. */
#define CURVE_SIZES                                                                          \
	"256,384,512,768,1Ki,1536,2Ki,3Ki,4Ki,6Ki,8Ki,12Ki,16Ki,24Ki,32Ki,48Ki,64Ki,96Ki,"   \
	"128Ki,192Ki,256Ki,384Ki,512Ki,768Ki,1Mi,1536Ki,2Mi,3Mi,4Mi,6Mi,8Mi,12Mi,16Mi,24Mi," \
	"32Mi,48Mi,64Mi,96Mi,128Mi,192Mi,256Mi,384Mi,512Mi,768Mi,1Gi"

#define COMPARED_METRICS                                                               \
	"--metric=instructions,loads,stores,branches,bytes,calls,misses:L1,misses:L2," \
	"misses:L3,cycles"

const struct report_part report_parts[] = {
	{ "mix", "mix", "trace-mix", "--by=class", "mix", NULL, "exact", COUNTED, PART_OF_TRACE },
	{ "symbols", "mix", "trace-mix", "--by=symbol --top=100", "mix", "symbols", "exact",
	  COUNTED, PART_OF_TRACE },
	{ "lines", "mix", "trace-mix", "--by=line --top=100", "mix", "lines", "exact",
	  COUNTED " Optimized code has the lines that the compiler gave it.", PART_OF_TRACE },
	{ "mnemonics", "mix", "trace-mix", "--by=mnemonic --top=60", "mix", "mnemonics", "exact",
	  COUNTED, PART_OF_TRACE },
	{ "modules", "mix", "trace-mix", "--by=module --top=60", "mix", "modules", "exact", COUNTED,
	  PART_OF_TRACE },
	{ "threads", "mix", "trace-mix", "--by=thread --top=200", "mix", "threads", "exact",
	  COUNTED, PART_ALONE },
	{ "calls", "calls", "trace-calls", "--threshold=0.05 --depth=1000 --top=100", "calls", NULL,
	  "exact", "Calls and returns are matched by the stack; counts are of all instructions.",
	  PART_OF_TRACE },
	{ "calls_by_thread", "calls", "trace-calls", "--per=thread --threshold=0.2 --depth=1000",
	  "calls_by_thread", NULL, "exact",
	  "Calls and returns are matched by the stack; counts are of all instructions.",
	  PART_OF_THREADS },
	{ "heap", "heap", "trace-calls", "--heap --top=50", "heap", NULL, "exact",
	  "Every recorded call of the malloc family.", PART_OF_ORDER },
	{ "syscalls", "syscalls", "trace-calls", "--syscalls --top=50", "syscalls", NULL, "exact",
	  "Every recorded system call; times are those of the recording.", PART_OF_TRACE },
	{ "stackdist", "stackdist", "trace-stackdist",
	  "--accesses=reads+writes,fetches --cache-size=" CURVE_SIZES, "stackdist", NULL, "exact",
	  "Misses of fully associative LRU caches, without prefetching.", PART_OF_TRACE },
	{ "cache", "cache", "trace-cache", "", "cache", NULL, "modelled",
	  "Caches, TLBs and prefetchers by the description of the machine, simulated exactly.",
	  PART_OF_MACHINE },
	{ "ibs", "ibs", "trace-ibs", "--histogram", "ibs", NULL, "modelled",
	  "Samples of a model of a processor, or of hardware if the trace has such samples.",
	  PART_OF_MACHINE },
	{ "slo", "slo", "trace-slo", "--histogram --misses --data --top=20", "slo", NULL,
	  "modelled", "Reuses are exact; lost cycles assume the cost of a miss.",
	  PART_WITH_SOURCE },
	{ "ilp", "mica", "trace-ilp", "", "mica.ilp", NULL, "exact",
	  "Of an ideal processor with a window of that size.", PART_OF_TRACE },
	{ "ppm", "mica", "trace-ppm", "", "mica.ppm", NULL, "exact",
	  "Of ideal predictors by partial matching (PPM).", PART_OF_TRACE },
	{ "itypes", "mica", "trace-itypes", "", "mica.itypes", NULL, "exact", COUNTED,
	  PART_OF_TRACE },
	{ "reg", "mica", "trace-reg", "", "mica.reg", NULL, "exact", COUNTED, PART_OF_TRACE },
	{ "stride", "mica", "trace-stride", "", "mica.stride", NULL, "exact", COUNTED,
	  PART_OF_TRACE },
	{ "footprint", "mica", "trace-footprint", "", "mica.footprint", NULL, "exact", COUNTED,
	  PART_OF_TRACE },
	{ "compare", "compare", "trace-compare", "--quiet " COMPARED_METRICS, "compare", NULL,
	  "exact",
	  "Both traces are counted exactly; functions are matched by names and code; cycles are "
	  "those of a model.",
	  PART_OF_PAIR },
	{ "phases", "phases", "trace-simpoint", "--counter=exact --map", "phases", NULL, "exact",
	  "Vectors are exact; places show the greatest differences between them.",
	  PART_BY_INTERVAL },
	{ "mix_by_interval", "phases", "trace-mix", "--by=total", "phases", NULL, "exact", COUNTED,
	  PART_BY_INTERVAL },
	{ "stackdist_by_interval", "phases", "trace-stackdist",
	  "--accesses=reads+writes --cache-size=32Ki,1Mi", "phases", NULL, "exact",
	  "Misses of fully associative LRU caches, without prefetching.", PART_BY_INTERVAL },
	{ "ilp_by_interval", "phases", "trace-ilp", "--exact-intervals", "phases", NULL, "exact",
	  "Of an ideal processor with a window of that size.", PART_BY_INTERVAL },
	{ "ppm_by_interval", "phases", "trace-ppm", "", "phases", NULL, "exact",
	  "Of ideal predictors by partial matching (PPM).", PART_BY_INTERVAL },
	{ "footprint_by_interval", "phases", "trace-footprint", "", "phases", NULL, "exact",
	  COUNTED, PART_BY_INTERVAL },
};

const size_t n_report_parts = sizeof(report_parts) / sizeof(report_parts[0]);

bool group_is_listed(const char *list, const char *group)
{
	size_t length = strlen(group);

	if (!list)
		return true;
	for (const char *at = list; *at;) {
		size_t word = strcspn(at, ",");

		if (word == length && !strncmp(at, group, word))
			return true;
		at += word + (at[word] == ',');
	}
	return false;
}

static bool is_group(const char *word, size_t length)
{
	for (size_t i = 0; i < n_report_parts; i++)
		if (strlen(report_parts[i].group) == length &&
		    !strncmp(report_parts[i].group, word, length))
			return true;
	return false;
}

char *unknown_group(const char *list)
{
	const char *at = list;

	for (;;) {
		size_t length = strcspn(at, ",");

		if (!is_group(at, length))
			return text_format("%.*s", (int)length, at);
		if (!at[length])
			return NULL;
		at += length + 1;
	}
}

/* Returns the names of all groups that are not in a list, which may be NULL. */
static char *join_groups(const char *without, const char *divider)
{
	const char *before = "";
	char *text;
	size_t size;
	FILE *out = checked(open_memstream(&text, &size));

	for (size_t i = 0; i < n_report_parts; i++) {
		const char *group = report_parts[i].group;

		if ((i && !strcmp(group, report_parts[i - 1].group)) ||
		    (without && group_is_listed(without, group)))
			continue;
		fprintf(out, "%s%s", before, group);
		before = divider;
	}
	if (fclose(out))
		out_of_memory();
	return text;
}

char *all_groups(void)
{
	return join_groups(NULL, ", ");
}

char *groups_without(const char *list)
{
	return join_groups(list, ",");
}
