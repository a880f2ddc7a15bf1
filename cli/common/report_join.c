/* SPDX-License-Identifier: MIT */
#include "cli/common/report_join.h"

#include <string.h>

#include "cli/common/report_parts.h"

static const struct value unknown = { .type = REPORT_STRING };

static struct value copy_value(const struct value *value)
{
	struct value copy = *value;

	if (value->type == REPORT_STRING || value->type == REPORT_NAME)
		copy.string = checked_copy(value->string);
	return copy;
}

/* ---- the joined table -------------------------------------------------------------------- */

static struct part *find_table(struct report *all, const char *name, const struct part *like)
{
	for (size_t i = 0; i < all->parts.count; i++) {
		struct part *part = &all->parts.at[i];

		if (!strcmp(part->table, name) && part->only_in_text == like->only_in_text &&
		    part->not_in_text == like->not_in_text)
			return part;
	}
	CHECKED_RESERVE(all->parts, all->parts.count + 1);
	all->parts.at[all->parts.count++] = (struct part){
		.table = checked_copy(name),
		.only_in_text = like->only_in_text,
		.not_in_text = like->not_in_text,
		.owns_columns = true,
	};
	return &all->parts.at[all->parts.count - 1];
}

/* Gives the rows that there are an unknown cell in a new last column. */
static void widen_rows(struct part *part)
{
	size_t old = part->n_columns, rows = old ? part->cells.count / old : 0;
	size_t count = rows * (old + 1);

	CHECKED_RESERVE(part->cells, count);
	for (size_t row = rows; row-- > 0;) {
		memmove(part->cells.at + row * (old + 1), part->cells.at + row * old,
			old * sizeof(*part->cells.at));
		part->cells.at[row * (old + 1) + old] = unknown;
	}
	part->cells.count = count;
}

/* Returns the number of a column, which is added if there is none of the name. */
static size_t find_column(struct part *part, const char *name, int type, const char *unit)
{
	for (size_t i = 0; i < part->n_columns; i++)
		if (!strcmp(part->columns[i].name, name))
			return i;
	widen_rows(part);
	part->columns = checked(
		realloc(part->columns, (part->n_columns + 1) * sizeof(*part->columns)));
	part->columns[part->n_columns] = (struct report_column){
		.name = checked_copy(name),
		.type = (enum report_type)(type <= REPORT_CHANGE ? type : REPORT_STRING),
		.unit = checked_copy(unit),
	};
	return part->n_columns++;
}

/* Adds a row of unknown cells behind the name. */
static void add_row(struct part *part, const char *name)
{
	CHECKED_RESERVE(part->cells, part->cells.count + part->n_columns);
	for (size_t i = 0; i < part->n_columns; i++)
		part->cells.at[part->cells.count++] = unknown;
	part->cells.at[part->cells.count - part->n_columns].string = checked_copy(name);
}

static void set_cell(struct part *part, size_t column, const struct value *value)
{
	part->cells.at[part->cells.count - part->n_columns + column] = copy_value(value);
}

/* ---- joining ----------------------------------------------------------------------------- */

static void join_facts(struct report *all, const char *column, const char *name,
		       const struct report *report)
{
	struct part *traces = find_table(all, "traces", &(const struct part){ 0 });

	find_column(traces, column, REPORT_STRING, "");
	for (size_t p = 0; p < report->parts.count; p++)
		for (size_t i = 0; i < report->parts.at[p].facts.count; i++) {
			const struct fact *fact = &report->parts.at[p].facts.at[i];

			if (strcmp(fact->name, column) != 0)
				find_column(traces, fact->name, fact->value.type, fact->unit);
		}
	add_row(traces, name);
	for (size_t p = 0; p < report->parts.count; p++)
		for (size_t i = 0; i < report->parts.at[p].facts.count; i++) {
			const struct fact *fact = &report->parts.at[p].facts.at[i];

			if (strcmp(fact->name, column) != 0)
				set_cell(traces,
					 find_column(traces, fact->name, fact->value.type,
						     fact->unit),
					 &fact->value);
		}
}

static void join_table(struct report *all, const char *column, const char *name,
		       const struct part *part)
{
	struct part *joined = find_table(all, part->table, part);
	size_t *to = checked_array(part->n_columns, sizeof(*to));

	find_column(joined, column, REPORT_STRING, "");
	for (size_t i = 0; i < part->n_columns; i++)
		to[i] = find_column(joined, part->columns[i].name, part->columns[i].type,
				    part->columns[i].unit);
	for (size_t i = 0; i < part->cells.count; i++) {
		if (i % part->n_columns == 0)
			add_row(joined, name);
		set_cell(joined, to[i % part->n_columns], &part->cells.at[i]);
	}
	free(to);
}

static void join_legend(struct report *all, const struct report *report)
{
	if (all->legend.cells.count)
		return;
	for (size_t i = 0; i + 1 < report->legend.cells.count; i += 2)
		report_define(all, report->legend.cells.at[i].string,
			      report->legend.cells.at[i + 1].string);
}

void report_join(struct report *all, const char *column, const char *name,
		 const struct report *report)
{
	bool has_facts = false;

	for (size_t i = 0; i < report->parts.count; i++)
		has_facts |= report->parts.at[i].facts.count != 0;
	if (has_facts)
		join_facts(all, column, name, report);
	for (size_t i = 0; i < report->parts.count; i++)
		if (report->parts.at[i].table)
			join_table(all, column, name, &report->parts.at[i]);
	join_legend(all, report);
}

void report_take_rows(struct report *to, struct report *from)
{
	struct part *rows = &from->parts.at[from->parts.count - 1];
	struct part *all = &to->parts.at[to->parts.count - 1];

	CHECKED_RESERVE(all->cells, all->cells.count + rows->cells.count);
	if (rows->cells.count)
		memcpy(all->cells.at + all->cells.count, rows->cells.at,
		       rows->cells.count * sizeof(*rows->cells.at));
	all->cells.count += rows->cells.count;
	rows->cells.count = 0;
}
