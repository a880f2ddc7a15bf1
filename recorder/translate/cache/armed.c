/* SPDX-License-Identifier: MIT */
/* Traps at the beginning of counting variants, for as long as tasks are to stop there. */
#include "recorder/translate/cache/cache_parts.h"

static bool can_be_armed(const struct translation *t)
{
	return t->counted && !t->bounded && !t->inside && !t->checked && !t->armed &&
	       t->status == TRANSLATION_LIVE;
}

bool cache_arm(struct cache *c, uint64_t pc)
{
	for (struct translation *t = cache_first(c, pc); t; t = t->next) {
		uint8_t *code;

		if (!can_be_armed(t))
			continue;
		if (!RESERVE(c->armed, c->armed.count + 1))
			return false;
		c->armed.at[c->armed.count++] = t;
		code = cache_local(c, t->code);
		t->armed_byte = *code;
		t->armed = true;
		asm_make_trap(code);
	}
	return true;
}

void cache_disarm(struct cache *c)
{
	for (size_t i = 0; i < c->armed.count; i++) {
		struct translation *t = c->armed.at[i];

		/* a jump to a translation that replaces this one stays */
		if (t->status == TRANSLATION_LIVE)
			*cache_local(c, t->code) = t->armed_byte;
		t->armed = false;
	}
	c->armed.count = 0;
}
