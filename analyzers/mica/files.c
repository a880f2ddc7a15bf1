/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/files.h"

#include <inttypes.h>

const char *mica_file_name(const char *base, enum mica_dialect dialect, bool full, unsigned pid,
			   char *name, size_t size)
{
	const char *kind = full ? "full" : "phases";

	if (!pid)
		snprintf(name, size, "%s_%s_int_pin.out", base, kind);
	else if (dialect == MICA_BOEGEL)
		snprintf(name, size, "%s_%s_int_%u_pin.out", base, kind, pid);
	else
		snprintf(name, size, "%s_%s_int_%05u_pin.out", base, kind, pid);
	return name;
}

static void write_numbers(FILE *file, const uint64_t *numbers, unsigned count, bool first)
{
	for (unsigned i = 0; i < count; i++)
		fprintf(file, "%s%" PRIu64, first && i == 0 ? "" : " ", numbers[i]);
}

static bool has_count(enum mica_layout layout)
{
	return layout <= MICA_COUNTED;
}

/* Its last lines lack columns, and have blanks. */
static void write_last_of_boegel(FILE *file, const struct mica_output *output,
				 const struct mica_line *line)
{
	static const char *const ends[] = {
		[MICA_ILP] = " \n", [MICA_ILP_ONE] = "\n", [MICA_ITYPES] = "\n ",
		[MICA_COUNTED] = "\n ", [MICA_STRIDE] = "\n", [MICA_FOOTPRINT] = "\n ",
		[MICA_STACK] = " ",
	};
	bool full = !output->interval;
	unsigned n = line->n_numbers;
	bool counted = output->layout == MICA_ILP ||
		       (output->layout == MICA_ILP_ONE && !full) || output->layout == MICA_ITYPES;

	if (output->layout == MICA_ITYPES && full) {
		fprintf(file, "%" PRIu64 " ", line->total.instructions);
		n--;
	}
	if (counted)
		fprintf(file, "%" PRIu64, line->interval.executions);
	write_numbers(file, line->numbers, n, !counted && output->layout != MICA_ILP_ONE);
	fputs(ends[output->layout], file);
}

void mica_write_line(FILE *file, const struct mica_output *output, const struct mica_line *line)
{
	bool nominal = !line->last && output->layout != MICA_ILP;

	if (line->last && output->dialect == MICA_BOEGEL) {
		write_last_of_boegel(file, output, line);
		return;
	}
	if (has_count(output->layout))
		fprintf(file, "%" PRIu64, nominal ? output->interval : line->interval.executions);
	write_numbers(file, line->numbers, line->n_numbers, !has_count(output->layout));
	fputc('\n', file);
	if (line->last)
		fprintf(file, "number of instructions: %" PRIu64 "\n", line->total.instructions);
}
