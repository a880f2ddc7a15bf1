/* SPDX-License-Identifier: MIT */
#include "recorder/program/exclusion.h"

#include "recorder/program/exclusion_rules.h"
#include "recorder/program/spin_loop.h"

/* Returns the range at the source, or NULL; *limit is as in exclusion_of(). */
static const struct excluded_range *range_at(const struct code_source *source, size_t *limit)
{
	const struct module *m = source->module;
	uint64_t offset = source->module_offset, border = UINT64_MAX;
	const struct excluded_range *found = NULL;

	for (size_t i = 0; m && i < m->n_excluded && !found && border == UINT64_MAX; i++) {
		const struct excluded_range *r = &m->excluded[i];

		if (offset < r->start)
			border = r->start;
		else if (offset < r->end)
			found = r;
	}
	if (found)
		border = found->end;
	*limit = border - offset < source->available ? (size_t)(border - offset)
						     : source->available;
	return found;
}

struct exclusion exclusion_of(const struct task *t, const struct code_source *source, size_t *limit)
{
	unsigned spin = exclusion_rules_spin(t->session);
	const struct excluded_range *r;

	*limit = source->available;
	if (!t->session->code.exclusions)
		return (struct exclusion){ 0 };
	r = range_at(source, limit);
	if (r && r->kind == EXCLUDED_MODULE)
		return (struct exclusion){ TF_EXCLUDED_MODULE, r->rule };
	if (r && r->kind != EXCLUDED_ADAPTIVE)
		return (struct exclusion){ TF_EXCLUDED_FUNCTION, r->rule };
	if (spin != TF_NONE && spin_loop_at(t, source, r != NULL, limit))
		return (struct exclusion){ TF_EXCLUDED_SPIN, spin };
	return (struct exclusion){ 0 };
}
