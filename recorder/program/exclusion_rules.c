/* SPDX-License-Identifier: MIT */
#include "recorder/program/exclusion_rules.h"

#include <elf.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/core/output.h"
#include "recorder/core/vector_summary.h"
#include "traceformat/common/array.h"

struct exclusions {
	char *names; /* the text of all rules */
	ARRAY(const char *) rules;
	unsigned
		spin_rule; /* number of the rule for loops that only wait; TF_NONE: there is none */
};

static const char default_names[] =
	"libgomp.so.1,libiomp5.so,libomp.so*,pthread_spin_lock,pthread_barrier_wait,spin";

static const char *const adaptive[] = { "pthread_mutex_lock", "__pthread_mutex_lock" };

static const char spin_name[] = "spin";

static bool adds(struct exclusions *x, const char *name)
{
	if (!RESERVE(x->rules, x->rules.count + 1))
		return false;
	if (strcmp(name, spin_name) == 0)
		x->spin_rule = (unsigned)x->rules.count;
	x->rules.at[x->rules.count++] = name;
	return true;
}

/* Returns the names with `default` replaced, or NULL if memory is out. */
static char *expanded(const char *names)
{
	static const char word[] = "default";
	size_t length = sizeof(word) - 1;
	char *text = NULL;

	for (const char *at = names; (at = strstr(at, word)); at += length)
		if ((at == names || at[-1] == ',') && (!at[length] || at[length] == ','))
			return asprintf(&text, "%.*s%s%s", (int)(at - names), names, default_names,
					at + length) < 0
				       ? NULL
				       : text;
	return strdup(names);
}

int exclusion_rules_begin(struct session *s)
{
	const char *names = s->options->exclude;
	struct exclusions *x;
	char *next, *name;

	if (!names || strcmp(names, "none") == 0)
		return 0;
	x = calloc(1, sizeof(*x));
	s->code.exclusions = x;
	if (!x)
		return output_memory(s->output);
	x->spin_rule = TF_NONE;
	x->names = next = expanded(names);
	if (!x->names)
		return output_memory(s->output);
	while ((name = strsep(&next, ",")))
		if (*name && !adds(x, name))
			return output_memory(s->output);
	if (x->rules.count <= VECTOR_RULES)
		return 0;
	return session_fail(s, TF_E_ARGUMENT,
			    "--exclude has more than %d names; use patterns with *", VECTOR_RULES);
}

void exclusion_rules_free(struct exclusions *x)
{
	if (!x)
		return;
	free(x->rules.at);
	free(x->names);
	free(x);
}

int exclusion_rules_end(struct session *s)
{
	const struct exclusions *x = s->code.exclusions;
	char *text = NULL;
	size_t size = 0;
	FILE *file;
	int status;

	if (!x || !s->vector_summary)
		return 0;
	file = open_memstream(&text, &size);
	if (!file)
		return output_memory(s->output);
	for (unsigned i = 0; i < x->rules.count; i++)
		fprintf(file, "%s%s: %llu", i ? ", " : "", x->rules.at[i],
			(unsigned long long)vector_summary_excluded(s->vector_summary, i));
	status = fclose(file) == 0 ? output_meta(s->output, "vectors.excluded", text)
				   : output_memory(s->output);
	free(text);
	return status;
}

unsigned exclusion_rules_spin(const struct session *s)
{
	return s->code.exclusions ? s->code.exclusions->spin_rule : TF_NONE;
}

/* ---- modules ---- */

static bool has_spin_rule(const struct exclusions *x)
{
	return x->spin_rule != TF_NONE;
}

static int add_range(struct session *s, struct module *m, struct excluded_range range)
{
	if (!array_reserve(&m->excluded, &m->excluded_capacity, m->n_excluded + 1,
			   sizeof(*m->excluded)))
		return output_memory(s->output);
	m->excluded[m->n_excluded++] = range;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct excluded_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

/* Sorts the ranges; what an earlier one has is taken off the later one. */
static void merge(struct module *m)
{
	uint64_t end = 0;
	size_t n = 0;

	qsort(m->excluded, m->n_excluded, sizeof(*m->excluded), by_start);
	for (size_t i = 0; i < m->n_excluded; i++) {
		struct excluded_range range = m->excluded[i];

		if (range.start < end)
			range.start = end;
		if (range.start >= range.end)
			continue;
		end = range.end;
		m->excluded[n++] = range;
	}
	m->n_excluded = n;
}

/* Returns true for the module's name, which may go on with a further part of its version. */
static bool is_module(const struct module *m, const char *rule)
{
	const char *slash = strrchr(m->path, '/'), *name = slash ? slash + 1 : m->path;
	size_t length = strlen(rule);

	return fnmatch(rule, m->path, 0) == 0 || fnmatch(rule, name, 0) == 0 ||
	       (strncmp(name, rule, length) == 0 && name[length] == '.');
}

/* Returns true if a symbol, maybe one with a version or of a PLT entry, has the name. */
static bool is_named(const char *symbol, const char *name)
{
	size_t length = strlen(name);

	return strncmp(symbol, name, length) == 0 && (!symbol[length] || symbol[length] == '@');
}

static bool is_adaptive(const struct tf_symbol *symbol)
{
	return is_named(symbol->name, adaptive[0]) || is_named(symbol->name, adaptive[1]);
}

/* Adds the ranges of one symbol. */
static int add_symbol(struct session *s, struct module *m, const struct tf_symbol *symbol)
{
	const struct exclusions *x = s->code.exclusions;
	struct excluded_range range = { .start = symbol->value,
					.end = symbol->value + symbol->size };

	if ((symbol->kind != STT_FUNC && symbol->kind != STT_NOTYPE) || !symbol->size)
		return 0;
	for (unsigned i = 0; i < x->rules.count; i++) {
		if (i == x->spin_rule || fnmatch(x->rules.at[i], symbol->name, 0) != 0)
			continue;
		range.rule = i;
		range.kind = EXCLUDED_FUNCTION;
		return add_range(s, m, range);
	}
	if (!has_spin_rule(x))
		return 0;
	range.rule = x->spin_rule;
	range.kind = is_named(symbol->name, "sched_yield") ? EXCLUDED_YIELD : EXCLUDED_ADAPTIVE;
	return range.kind == EXCLUDED_YIELD || is_adaptive(symbol) ? add_range(s, m, range) : 0;
}

int exclusion_rules_resolve(struct session *s, struct module *m, const struct tf_symbol *symbols,
			    size_t count)
{
	const struct exclusions *x = s->code.exclusions;

	for (unsigned i = 0; x && i < x->rules.count; i++)
		if (i != x->spin_rule && is_module(m, x->rules.at[i]))
			return add_range(s, m,
					 (struct excluded_range){ .end = UINT64_MAX,
								  .rule = i,
								  .kind = EXCLUDED_MODULE });
	for (size_t i = 0; x && i < count; i++)
		if (add_symbol(s, m, &symbols[i]) < 0)
			return -1;
	if (m->n_excluded)
		merge(m);
	return 0;
}
