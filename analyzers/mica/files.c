/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/files.h"

#include <inttypes.h>
#include <string.h>

bool mica_parse_dialect(const char *text, enum mica_dialect *dialect)
{
	static const char *const names[] = { [MICA_CHERAMY] = "cheramy",
					     [MICA_040] = "0.40",
					     [MICA_040REL] = "0.40rel",
					     [MICA_BOEGEL] = "boegel" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i])) {
			*dialect = i;
			return true;
		}
	return false;
}

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

static unsigned n_numbers(enum mica_layout layout, const struct mica_line *line)
{
	return layout == MICA_STACK ? MICA_STACK_NUMBERS : line->n_numbers;
}

static bool has_count(enum mica_layout layout)
{
	return layout <= MICA_COUNTED;
}

/* Writes the single distances; stack distances are one analysis for two files. */
static void write_singles(FILE *file, const struct mica_line *line)
{
	write_numbers(file, line->numbers, 2, true);
	fputc('\n', file);
	write_numbers(file, line->numbers + MICA_STACK_NUMBERS,
		      line->n_numbers - MICA_STACK_NUMBERS, false);
}

/*
 * Writes the last line in the style of MICA's boegel dialect, whose last lines lack columns and
 * have blanks.
 */
static void write_last_of_boegel(FILE *file, const struct mica_form *form,
				 const struct mica_line *line)
{
	static const char *const ends[] = {
		[MICA_ILP] = " \n",     [MICA_ILP_ONE] = "\n", [MICA_ITYPES] = "\n ",
		[MICA_COUNTED] = "\n ", [MICA_STRIDE] = "\n",  [MICA_FOOTPRINT] = "\n ",
		[MICA_STACK] = " "
	};
	bool full = !form->interval;
	unsigned n = n_numbers(form->layout, line);
	bool counted = form->layout == MICA_ILP || (form->layout == MICA_ILP_ONE && !full) ||
		       form->layout == MICA_ITYPES;

	if (form->layout == MICA_ITYPES && full) {
		fprintf(file, "%" PRIu64 " ", line->total.instructions);
		n--;
	}
	if (counted)
		fprintf(file, "%" PRIu64, line->interval.executions);
	write_numbers(file, line->numbers, n, !counted && form->layout != MICA_ILP_ONE);
	fputs(ends[form->layout], file);
}

/* Writes the summary of a linecount interval; the program's end has none. */
static void write_summary(FILE *file, const struct mica_line *line)
{
	if (line->last)
		return;
	write_numbers(file, line->numbers, line->n_numbers, true);
	fputs("\n\n", file);
}

void mica_write_line(FILE *file, const struct mica_form *form, const struct mica_line *line)
{
	bool nominal = !line->last && form->layout != MICA_ILP;

	if (line->last && form->dialect == MICA_BOEGEL) {
		write_last_of_boegel(file, form, line);
		return;
	}
	if (form->layout == MICA_LINES) {
		write_summary(file, line);
		return;
	}
	if (has_count(form->layout))
		fprintf(file, "%" PRIu64, nominal ? form->interval : line->interval.executions);
	if (form->layout == MICA_FULL_STACK)
		write_singles(file, line);
	else
		write_numbers(file, line->numbers, n_numbers(form->layout, line),
			      !has_count(form->layout));
	fputc('\n', file);
	if (line->last)
		fprintf(file, "number of instructions: %" PRIu64 "\n", line->total.instructions);
}
