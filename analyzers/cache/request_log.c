/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/request_log.h"

#include "cli/common/checked.h"
#include "traceformat/common/hash_table.h"

struct cache_log *cache_log_new(void)
{
	struct cache_log *log = checked_array(1, sizeof(*log));

	log->most_bytes = SIZE_MAX;
	return log;
}

void cache_log_free(struct cache_log *log)
{
	if (!log)
		return;
	free(log->requests.at);
	free(log->contexts.at);
	free(log);
}

static void append_context(struct cache_log *log, const struct cache_access *access,
			   const struct cache_origin *origin)
{
	struct cache_context context = { .access = *access };

	if (origin)
		context.origin = *origin;
	CHECKED_RESERVE(log->contexts, log->contexts.count + 1);
	log->contexts.at[log->contexts.count++] = context;
}

void cache_log_append(struct cache_log *log, struct cache_request request,
		      const struct cache_access *access, const struct cache_origin *origin)
{
	size_t each = sizeof(request) + sizeof(uint32_t) +
		      (access ? sizeof(struct cache_context) : 0);

	if (log->requests.count >= log->most_bytes / each || log->requests.count >= CACHE_NEVER) {
		log->full = true;
		return;
	}
	CHECKED_RESERVE(log->requests, log->requests.count + 1);
	log->requests.at[log->requests.count++] = request;
	if (access)
		append_context(log, access, origin);
}

bool cache_log_merges(struct cache_log *log, const struct cache_level *level,
		      const struct cache_request *request)
{
	const struct cache_geometry *g = &level->geometry;
	size_t *last = &log->last[request->core][request->side];
	struct cache_request *before = *last ? &log->requests.at[*last - 1] : NULL;

	*last = log->requests.count + 1;
	if (!before || g->no_allocate || (request->dirties && g->write_through) || log->full ||
	    (before->address ^ request->address) & level->line_mask)
		return false;
	*last = before - log->requests.at + 1;
	before->dirties |= request->dirties;
	log->merged[request->side][request->kind]++;
	return true;
}

/* ---- next uses ----------------------------------------------------------------------------- */

struct next_use {
	struct next_use_key {
		uint64_t line, level;
	} key;
	uint32_t request;
	uint32_t padding;
};

uint32_t *cache_log_next_uses(const struct cache_log *log,
			      struct cache_level *const at[CACHE_MAX_CORES][2][CACHE_MAX_LEVELS],
			      unsigned depth)
{
	uint32_t *next = checked_array(log->requests.count, sizeof(*next));
	HASH_TABLE(struct next_use) uses = { 0 };

	for (size_t i = log->requests.count; i-- > 0;) {
		const struct cache_request *r = &log->requests.at[i];
		const struct cache_level *level = at[r->core][r->side][depth];

		if (r->type == CACHE_WRITE_BACK || r->type == CACHE_CLEAR)
			continue;
		size_t known = uses.count;
		struct next_use *use = checked(
			TABLE_PUT(uses, { r->address & level->line_mask, (uintptr_t)level }));

		next[i] = uses.count > known ? CACHE_NEVER : use->request;
		use->request = i;
	}
	TABLE_FREE(uses);
	return next;
}
