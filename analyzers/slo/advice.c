/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/advice.h"

#include <string.h>

#include "analyzers/common/numbering.h"
#include "cli/common/checked.h"

/* ---- refactorings ------------------------------------------------------------------------ */

static void free_refactoring(struct slo_refactoring *r)
{
	for (size_t i = 0; i < r->references.count; i++) {
		free(r->references.at[i].use);
		free(r->references.at[i].reuse);
	}
	free(r->references.at);
	for (size_t i = 0; i < r->data.count; i++)
		free(r->data.at[i].text);
	free(r->data.at);
	free(r->where);
	free(r->first);
	free(r->second);
	free(r->advice);
}

static bool calls_overview(const struct slo_code *code, const struct slo_change *change,
			   const struct slo_part *part)
{
	const struct slo_part *overview = &change->overview;

	return part->what != CONTEXT_NONE && !part->is_loop &&
	       part->what == (overview->is_loop ? slo_function_of_loop(code, overview->what)
						: overview->what);
}

static struct slo_refactoring describe(const struct slo_places *places,
				       const struct slo_change *change)
{
	return (struct slo_refactoring){
		.change = *change,
		.recursive = change->kind == REUSE_FUNC &&
			     (calls_overview(places->code, change, &change->first) ||
			      calls_overview(places->code, change, &change->second)),
		.where = slo_overview_text(places, &change->overview),
		.first = change->kind == REUSE_LOOP ? NULL : slo_part_text(places, &change->first),
		.second = change->kind == REUSE_LOOP ? NULL
						     : slo_part_text(places, &change->second),
	};
}

/* Returns the texts of a refactoring, joined, without its numbers. */
static char *key_of(const struct slo_refactoring *r)
{
	return text_format("%u\t%s\t%s\t%s", r->change.kind, r->where, r->first ? r->first : "",
			   r->second ? r->second : "");
}

/* Adds the refactoring of a group, unless there is one that reads the same. Returns its number. */
static uint32_t add_group(struct slo_advice *advice, struct numbering *keys,
			  const struct slo_places *places, const struct slo_change *change)
{
	struct slo_refactoring fresh = describe(places, change);
	char *key = key_of(&fresh);
	uint32_t number = numbering_add_text(keys, key);

	free(key);
	if (number < advice->refactorings.count) {
		free_refactoring(&fresh);
		return number;
	}
	CHECKED_RESERVE(advice->refactorings, number + 1ul);
	advice->refactorings.at[advice->refactorings.count++] = fresh;
	return number;
}

static uint64_t lost_cycles(const struct slo_groups *groups, const struct slo_counts *counts,
			    const uint64_t *cycles)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < groups->n_caches; i++)
		lost += cycles[i] * counts->misses[i];
	return lost;
}

static void advise(struct slo_refactoring *r, const struct slo_places *places)
{
	const struct slo_part part = { .is_loop = true, .what = r->counts.child };
	char *child = r->counts.votes ? slo_part_text(places, &part) : NULL;

	r->advice = slo_advice_text(r, child);
	free(child);
}

/* ---- references -------------------------------------------------------------------------- */

struct known_reference {
	struct slo_pair key; /* a refactoring and two texts */
	uint32_t position;   /* in the refactoring's list, + 1 */
};

/* The texts of instructions' places, and the references that have been found. */
struct references {
	const struct slo_places *places;
	struct numbering texts;
	uint32_t *text_of; /* by instruction: the number of its text + 1, or 0 */
	HASH_TABLE(struct known_reference) known;
};

static uint32_t text_of(struct references *r, uint32_t insn)
{
	if (!r->text_of[insn]) {
		char *text = slo_insn_text(r->places, insn);

		r->text_of[insn] = numbering_add_text(&r->texts, text) + 1;
		free(text);
	}
	return r->text_of[insn] - 1;
}

static struct slo_reference *new_reference(struct slo_refactoring *refactoring,
					   const struct references *r, const struct slo_pair *key,
					   const struct slo_pair *pair)
{
	CHECKED_RESERVE(refactoring->references, refactoring->references.count + 1);

	struct slo_reference *fresh = &refactoring->references.at[refactoring->references.count++];

	*fresh = (struct slo_reference){
		.use = checked_copy(numbering_key(&r->texts, key->first)),
		.reuse = checked_copy(numbering_key(&r->texts, key->second)),
		.first = pair->first,
		.second = pair->second,
	};
	return fresh;
}

static struct slo_reference *reference_of(struct slo_advice *advice, struct references *r,
					  uint32_t refactoring, const struct slo_pair *pair)
{
	const struct slo_pair key = { refactoring, text_of(r, pair->first),
				      text_of(r, pair->second) };
	struct slo_refactoring *its = &advice->refactorings.at[refactoring];
	struct known_reference *known = checked(TABLE_PUT(r->known, key));

	if (known->position)
		return &its->references.at[known->position - 1];
	known->position = (uint32_t)its->references.count + 1;
	return new_reference(its, r, &key, pair);
}

static void add_references(struct slo_advice *advice, const struct slo_groups *groups,
			   const uint32_t *of_group, const struct slo_places *places)
{
	size_t n_insns = places->first_insn[tf_n_blocks(places->code->graph.reader)];
	struct references r = {
		.places = places,
		.text_of = checked_array(n_insns, sizeof(*r.text_of)),
	};

	for (size_t i = 0; i < groups->pairs.count; i++) {
		const struct slo_pair_counts *pair = &groups->pairs.at[i];
		struct slo_reference *reference = reference_of(advice, &r,
							       of_group[pair->key.group],
							       &pair->key);

		reference->reuses += pair->reuses;
		reference->distance += pair->distance;
	}
	numbering_free(&r.texts);
	TABLE_FREE(r.known);
	free(r.text_of);
}

/* ---- data -------------------------------------------------------------------------------- */

/* Adds reuses of data that `text` names. */
static void add_datum(struct slo_refactoring *r, const char *text, uint64_t reuses)
{
	size_t i = 0;

	while (i < r->data.count && strcmp(r->data.at[i].text, text))
		i++;
	if (i == r->data.count) {
		CHECKED_RESERVE(r->data, i + 1);
		r->data.count++;
		r->data.at[i] = (struct slo_datum){ .text = checked_copy(text) };
	}
	r->data.at[i].reuses += reuses;
}

static void add_data(struct slo_advice *advice, const struct slo_advisor *advisor,
		     const uint32_t *of_group)
{
	const struct slo_groups *groups = advisor->groups;

	for (size_t i = 0; advisor->data && i < groups->touched.count; i++) {
		const struct slo_touched_counts *touched = &groups->touched.at[i];
		char *text = slo_data_text(advisor->data, advisor->places, touched->key.data);

		add_datum(&advice->refactorings.at[of_group[touched->key.group]], text,
			  touched->reuses);
		free(text);
	}
}

/* ---- order ------------------------------------------------------------------------------- */

static int compare_references(const void *a, const void *b)
{
	const struct slo_reference *x = a, *y = b;

	if (x->reuses != y->reuses)
		return x->reuses > y->reuses ? -1 : 1;
	int order = strcmp(x->use, y->use);

	return order ? order : strcmp(x->reuse, y->reuse);
}

static int compare_data(const void *a, const void *b)
{
	const struct slo_datum *x = a, *y = b;

	if (x->reuses != y->reuses)
		return x->reuses > y->reuses ? -1 : 1;
	return strcmp(x->text, y->text);
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Compares refactorings by loss; equal ones are in an order that depends only on the input. */
static int compare_refactorings(const void *a, const void *b)
{
	const struct slo_refactoring *x = a, *y = b;
	int order = compare_texts(x->where, y->where);

	if (x->hidden != y->hidden)
		return x->hidden ? 1 : -1;
	if (x->lost != y->lost)
		return x->lost > y->lost ? -1 : 1;
	if (x->counts.reuses != y->counts.reuses)
		return x->counts.reuses > y->counts.reuses ? -1 : 1;
	if (!order)
		order = compare_texts(x->first, y->first);
	if (!order)
		order = compare_texts(x->second, y->second);
	return order ? order : (int)x->change.kind - (int)y->change.kind;
}

static void finish(struct slo_refactoring *r, const struct slo_advisor *advisor)
{
	r->lost = lost_cycles(advisor->groups, &r->counts, advisor->cycles);
	advise(r, advisor->places);
	qsort(r->references.at, r->references.count, sizeof(*r->references.at), compare_references);
	if (r->data.count)
		qsort(r->data.at, r->data.count, sizeof(*r->data.at), compare_data);
}

void slo_advice_init(struct slo_advice *advice, const struct slo_advisor *advisor)
{
	const struct slo_groups *groups = advisor->groups;
	uint32_t n_groups = (uint32_t)groups->groups.count;
	uint32_t *of_group = checked_array(n_groups, sizeof(*of_group));
	struct numbering keys = { 0 };

	*advice = (struct slo_advice){ 0 };
	for (uint32_t i = 0; i < n_groups; i++) {
		const struct slo_group *group = &groups->groups.at[i];

		of_group[i] = add_group(advice, &keys, advisor->places, &group->key);
		slo_counts_merge(&advice->refactorings.at[of_group[i]].counts, &group->counts);
		slo_counts_merge(&advice->all, &group->counts);
	}
	add_references(advice, groups, of_group, advisor->places);
	add_data(advice, advisor, of_group);
	for (size_t i = 0; i < advice->refactorings.count; i++)
		finish(&advice->refactorings.at[i], advisor);
	advice->lost = lost_cycles(groups, &advice->all, advisor->cycles);
	advice->n_shown = advice->refactorings.count;
	if (advice->refactorings.count)
		qsort(advice->refactorings.at, advice->refactorings.count,
		      sizeof(*advice->refactorings.at), compare_refactorings);
	numbering_free(&keys);
	free(of_group);
}

void slo_advice_hide(struct slo_advice *advice, const struct slo_places *places)
{
	enum { THOUSANDTH = 1000 };

	for (size_t i = 0; i < advice->refactorings.count; i++) {
		struct slo_refactoring *r = &advice->refactorings.at[i];

		r->hidden = r->lost < advice->lost / THOUSANDTH ||
			    slo_in_c_library(places, &r->change);
		advice->n_shown -= r->hidden;
	}
	if (advice->refactorings.count)
		qsort(advice->refactorings.at, advice->refactorings.count,
		      sizeof(*advice->refactorings.at), compare_refactorings);
}

void slo_advice_free(struct slo_advice *advice)
{
	for (size_t i = 0; i < advice->refactorings.count; i++)
		free_refactoring(&advice->refactorings.at[i]);
	free(advice->refactorings.at);
}
