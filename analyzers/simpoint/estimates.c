/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/estimates.h"

#include <math.h>
#include <string.h>

#include "analyzers/common/checked.h"
#include "analyzers/simpoint/spawn.h"

/* What is about the slice, not of it. */
static const char *const not_results[] = { "slice_weight", "parent_instructions", NULL };

static bool in_list(const char *const *list, const char *name)
{
	for (; list && *list; list++)
		if (!strcmp(*list, name))
			return true;
	return false;
}

static struct estimate *find(struct estimates *e, const char *table, const char *row,
			     const char *name)
{
	char *key = text_format("%s\t%s\t%s", table, row, name);
	json_t *place;

	if (!e->index)
		e->index = checked(json_object());
	place = json_object_get(e->index, key);
	if (!place) {
		if (e->n == e->room) {
			e->room = 2 * e->room + 64;
			e->at = checked(reallocarray(e->at, e->room, sizeof(*e->at)));
		}
		e->at[e->n] = (struct estimate){
			.table = text_format("%s", table), .row = text_format("%s", row),
			.name = text_format("%s", name), .whole = NAN,
		};
		place = checked(json_integer((json_int_t)e->n++));
		if (json_object_set_new_nocheck(e->index, key, place) < 0)
			command_out_of_memory();
	}
	free(key);
	return &e->at[json_integer_value(place)];
}

/* What is done with each number of a result. */
struct visit {
	struct estimates *estimates;
	double weight, instructions;	/* of a slice; weight NaN: of the whole */
};

static void take_number(const struct visit *v, const char *table, const char *row, const char *name,
			const json_t *number)
{
	struct estimate *e = find(v->estimates, table, row, name);
	double value = json_number_value(number);

	if (in_list(v->estimates->sums, name))
		e->is_count = true;
	else if (!in_list(v->estimates->means, name))
		e->is_count |= json_is_integer(number);
	if (isnan(v->weight))
		e->whole = value;
	else
		e->sum += v->weight * (e->is_count ? value / v->instructions : value);
}

/* The strings of a row, joined. */
static char *key_of_row(const json_t *row)
{
	char *key = text_format("%s", "");
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)row, name, value) {
		if (!json_is_string(value))
			continue;
		char *longer = text_format("%s%s%s", key, *key ? " " : "",
					   json_string_value(value));

		free(key);
		key = longer;
	}
	return key;
}

static void take_table(const struct visit *v, const char *table, const json_t *rows)
{
	json_t *seen = checked(json_object());

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		char *key = key_of_row(row);
		json_int_t times = json_integer_value(json_object_get(seen, key)) + 1;
		const char *name;
		json_t *value;

		json_object_set_new_nocheck(seen, key, json_integer(times));
		if (times > 1) {	/* rows that no strings tell apart: by their order */
			char *numbered = text_format("%s #%d", key, (int)times);

			free(key);
			key = numbered;
		}
		json_object_foreach((json_t *)row, name, value)
			if (json_is_number(value))
				take_number(v, table, key, name, value);
		free(key);
	}
	json_decref(seen);
}

static void take_result(const struct visit *v, const json_t *result)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)result, name, value) {
		if (in_list(not_results, name))
			continue;
		if (json_is_number(value))
			take_number(v, "", "", name, value);
		else if (json_is_array(value))
			take_table(v, name, value);
	}
}

bool estimates_add(struct estimates *e, const json_t *result, double weight,
		   const char *instructions)
{
	const json_t *count = json_object_get(result, instructions);
	struct visit visit = { e, weight, json_number_value(count) };

	if (!json_is_number(count) || !(visit.instructions > 0))
		return false;
	take_result(&visit, result);
	e->weights += weight;
	return true;
}

void estimates_set_whole(struct estimates *e, const json_t *result)
{
	struct visit visit = { e, NAN, 0 };

	take_result(&visit, result);
}

void estimates_finish(struct estimates *e, double instructions)
{
	for (size_t i = 0; i < e->n; i++)
		e->at[i].value = e->at[i].sum / e->weights *
				 (e->at[i].is_count ? instructions : 1);
}

void estimates_free(struct estimates *e)
{
	for (size_t i = 0; i < e->n; i++) {
		free(e->at[i].table);
		free(e->at[i].row);
		free(e->at[i].name);
	}
	free(e->at);
	json_decref(e->index);
	*e = (struct estimates){ 0 };
}

double estimate_error(const struct estimate *e)
{
	if (e->whole == 0 && e->value == 0)
		return 0;
	return e->whole == 0 ? NAN : 100 * (e->value - e->whole) / fabs(e->whole);
}
