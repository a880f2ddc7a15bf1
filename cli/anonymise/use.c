/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/use.h"

#include <pthread.h>

#include "cli/common/checked.h"

/* ---- accesses ---------------------------------------------------------------------------- */

static void touch_lanes(struct use *use, const struct tf_operand *operand, uint64_t address,
			const uint64_t *extra)
{
	/* tf_accesses_begin expects the operand's own block and its values. */
	uint64_t values[1 + 1 + TF_MAX_LANES] = { address };
	struct tf_operand alone = *operand;
	struct tf_block block = { .operands = &alone, .n_operands = 1 };
	uint64_t low = UINT64_MAX, high = 0;
	struct lanes_use *lanes;
	struct tf_accesses it;

	alone.extra = 1;
	memcpy(values + 1, extra, extras_of(operand) * sizeof(*extra));
	tf_accesses_begin(&it, &alone, &block, values);
	while (tf_accesses_next(&it)) {
		page_set_touch(&use->touched, it.address, it.size);
		low = it.address < low ? it.address : low;
		high = it.address > high ? it.address : high;
	}
	lanes = checked(TABLE_PUT(use->lanes, (uint64_t)(uintptr_t)operand));
	if (low > high)
		return;
	if (high - low > lanes->spread)
		lanes->spread = high - low;
	lanes->crosses |= low >> PAGE_BITS != high >> PAGE_BITS;
}

static void touch_masked(struct use *use, const struct tf_operand *operand, uint64_t address,
			 uint64_t mask)
{
	unsigned low, high;

	if (operand->lanes < 64)
		mask &= (UINT64_C(1) << operand->lanes) - 1;
	if (!mask)
		return;
	low = (unsigned)__builtin_ctzll(mask);
	high = 63 - (unsigned)__builtin_clzll(mask);
	page_set_touch(&use->touched, address + (uint64_t)low * operand->size,
		       (uint64_t)(high - low + 1) * operand->size);
}

static void touch_repeated(struct use *use, const struct tf_operand *operand, uint64_t address,
			   const uint64_t *extra)
{
	uint64_t done = extra[1];

	if (!done)
		return;
	if (extra[2] & TF_REP_DOWN)
		address -= (done - 1) * operand->size;
	page_set_touch(&use->touched, address, done * operand->size);
}

static void touch(struct use *use, const struct tf_operand *operand, uint64_t address,
		  const uint64_t *extra)
{
	switch ((enum tf_form)operand->form) {
	case TF_PLAIN: page_set_touch(&use->touched, address, operand->size); break;
	case TF_MASKED: touch_masked(use, operand, address, *extra); break;
	case TF_REP: touch_repeated(use, operand, address, extra); break;
	case TF_LANES: touch_lanes(use, operand, address, extra); break;
	case TF_SIZED:
		if (*extra)
			page_set_touch(&use->touched, address, *extra);
		break;
	}
}

/* ---- executions and events --------------------------------------------------------------- */

/* Adds the accesses of the first instructions of a path. */
static void touch_path(struct use *use, const struct exit_use *exit, uint32_t executed,
		       const uint64_t *values)
{
	for (unsigned b = 0; b < exit->n_blocks && executed; b++) {
		const struct tf_block *block = use->paths->blocks[exit->path->blocks[b]];
		const struct tf_operand *operand = block->operands;

		for (unsigned k = 0; k < block->n_operands && operand[k].insn < executed; k++)
			touch(use, &operand[k], values[k], values + operand[k].extra);
		values += block->n_values;
		executed -= executed < block->n_insns ? executed : block->n_insns;
	}
}

/* Adds the accesses of an execution all of whose values are addresses of TF_PLAIN. */
static void touch_plain(struct use *use, const struct exit_use *exit, const uint64_t *values)
{
	for (uint32_t i = 0; i < exit->n_values; i++)
		page_set_touch(&use->touched, values[i], exit->sizes[i]);
}

static void use_paths(struct use *use, const struct tf_item *item)
{
	const uint64_t *values = item->values;

	for (size_t i = 0; i < item->count; i++) {
		const struct tf_path_exec *exec = &item->paths[i];
		const struct exit_use *exit = &use->paths->exits[exec->exit];

		if (i + EXITS_AHEAD < item->count)
			__builtin_prefetch(&use->paths->exits[item->paths[i + EXITS_AHEAD].exit]);
		use->exits[exec->exit] = true;
		if (use->without_values)
			continue;
		if (exit->sizes)
			touch_plain(use, exit, values);
		else
			touch_path(use, exit, exec->executed, values);
		values += exit->n_values;
	}
}

static void use_time(struct use *use, uint64_t time)
{
	if (time && time < use->first_time)
		use->first_time = time;
}

static void use_index(bool *used, uint32_t n, uint32_t index)
{
	if (index < n)
		used[index] = true;
}

static void use_event(struct use *use, const struct tf_reader *reader, const struct tf_event *event)
{
	switch (event->kind) {
	case TF_EVENT_SYSCALL: use_time(use, event->syscall.time_ns); break;
	case TF_EVENT_SYSCALL_RESULT: use_time(use, event->syscall_result.time_ns); break;
	case TF_EVENT_THREAD_START: use_time(use, event->thread_start.time_ns); break;
	case TF_EVENT_THREAD_EXIT: use_time(use, event->thread_exit.time_ns); break;
	case TF_EVENT_PROCESS_START: use_time(use, event->process_start.time_ns); break;
	case TF_EVENT_PROCESS_EXIT: use_time(use, event->process_exit.time_ns); break;
	case TF_EVENT_EXEC: use_time(use, event->exec.time_ns); break;
	case TF_EVENT_TIME: use_time(use, event->time.time_ns); break;
	case TF_EVENT_MAPPING:
		use_index(use->mappings, tf_n_mappings(reader), event->mapping.index);
		break;
	case TF_EVENT_REGION_BEGIN:
	case TF_EVENT_REGION_END:
		use_index(use->regions, tf_n_regions(reader), event->region.index);
		break;
	case TF_EVENT_CALL:
		use_index(use->functions, tf_n_functions(reader), event->call.function);
		break;
	case TF_EVENT_RETURN:
		use_index(use->functions, tf_n_functions(reader), event->ret.function);
		break;
	default: break;
	}
}

/* ---- parts of the trace, in parallel ----------------------------------------------------- */

/* The instructions of a chunk; of a thread's last one, to the end. */
struct part {
	uint32_t thread;
	uint64_t first, count;
};
typedef ARRAY(struct part) part_list;

struct workers {
	struct tf_reader *reader;
	part_list parts;
	pthread_mutex_t lock;
	size_t next; /* part */
	int status;
	struct tf_error error;
};

struct worker {
	struct workers *all;
	struct use use;
	pthread_t thread;
};

static int read_part(struct tf_reader *reader, struct use *use, const struct part *part,
		     struct tf_error *error)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_item item;
	int status;

	options.view = TF_VIEW_PATHS;
	options.columns = TF_EVENTS | (use->without_values ? 0u : TF_ADDRESSES);
	options.thread = part->thread;
	options.first = part->first;
	options.count = part->count;
	status = tf_cursor_open(reader, &options, &cursor, error);
	if (status < 0)
		return status;
	while ((status = tf_next(cursor, &item, error)) > 0) {
		if (item.kind == TF_ITEM_EVENT)
			use_event(use, reader, item.event);
		else
			use_paths(use, &item);
	}
	tf_cursor_close(cursor);
	return status;
}

/* Takes the next part. Returns false at the end, or after an error of any worker. */
static bool next_part(struct workers *all, struct part *part)
{
	bool any;

	pthread_mutex_lock(&all->lock);
	any = all->status == 0 && all->next < all->parts.count;
	if (any)
		*part = all->parts.at[all->next++];
	pthread_mutex_unlock(&all->lock);
	return any;
}

static void *work(void *opaque)
{
	struct worker *w = opaque;
	struct tf_error error;
	struct part part;

	while (next_part(w->all, &part)) {
		int status = read_part(w->all->reader, &w->use, &part, &error);

		if (status == 0)
			continue;
		pthread_mutex_lock(&w->all->lock);
		w->all->status = status;
		w->all->error = error;
		pthread_mutex_unlock(&w->all->lock);
	}
	return NULL;
}

static void list_parts(struct tf_reader *reader, part_list *parts)
{
	uint32_t n_threads = tf_n_threads(reader);
	size_t *last = checked_array(n_threads, sizeof(*last));
	struct tf_section_info s;

	for (uint32_t i = 0; tf_section(reader, i, &s); i++) {
		if (s.thread >= n_threads || (!s.instructions && last[s.thread]))
			continue;
		CHECKED_RESERVE(*parts, parts->count + 1);
		parts->at[parts->count++] = (struct part){ s.thread, s.first_ordinal,
							   s.instructions };
		last[s.thread] = parts->count;
	}
	for (uint32_t t = 0; t < n_threads; t++)
		if (last[t])
			parts->at[last[t] - 1].count = UINT64_MAX;
	free(last);
}

static void use_begin(struct use *use, const struct tf_reader *reader, const struct paths *paths,
		      bool without_values)
{
	*use = (struct use){ .paths = paths,
			     .without_values = without_values,
			     .first_time = UINT64_MAX };
	use->exits = checked_array(paths->n_exits, sizeof(*use->exits));
	use->mappings = checked_array(tf_n_mappings(reader), sizeof(*use->mappings));
	use->functions = checked_array(tf_n_functions(reader), sizeof(*use->functions));
	use->regions = checked_array(tf_n_regions(reader), sizeof(*use->regions));
	page_set_begin(&use->touched);
}

void use_free(struct use *use)
{
	free(use->exits);
	free(use->mappings);
	free(use->functions);
	free(use->regions);
	page_set_free(&use->touched);
	TABLE_FREE(use->lanes);
	*use = (struct use){ 0 };
}

static void unite_flags(bool *to, const bool *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] |= from[i];
}

static void unite(struct use *to, const struct use *from, const struct tf_reader *reader)
{
	unite_flags(to->exits, from->exits, to->paths->n_exits);
	unite_flags(to->mappings, from->mappings, tf_n_mappings(reader));
	unite_flags(to->functions, from->functions, tf_n_functions(reader));
	unite_flags(to->regions, from->regions, tf_n_regions(reader));
	if (from->first_time < to->first_time)
		to->first_time = from->first_time;
	page_set_unite(&to->touched, &from->touched);
	for (size_t i = 0; i < from->lanes.count; i++) {
		struct lanes_use *lanes = checked(TABLE_PUT(to->lanes, from->lanes.at[i].key));

		lanes->crosses |= from->lanes.at[i].crosses;
		if (from->lanes.at[i].spread > lanes->spread)
			lanes->spread = from->lanes.at[i].spread;
	}
}

int use_find(struct tf_reader *reader, const struct paths *paths, bool without_values,
	     unsigned jobs, struct use *use, struct tf_error *error)
{
	struct workers all = { .reader = reader, .lock = PTHREAD_MUTEX_INITIALIZER };
	struct worker *workers;
	unsigned started = 1;

	list_parts(reader, &all.parts);
	if (jobs > all.parts.count)
		jobs = all.parts.count ? (unsigned)all.parts.count : 1;
	workers = checked_array(jobs, sizeof(*workers));
	for (unsigned i = 0; i < jobs; i++) {
		workers[i].all = &all;
		use_begin(&workers[i].use, reader, paths, without_values);
	}
	while (started < jobs &&
	       pthread_create(&workers[started].thread, NULL, work, &workers[started]) == 0)
		started++;
	work(&workers[0]);
	for (unsigned i = 1; i < jobs; i++) {
		if (i < started)
			pthread_join(workers[i].thread, NULL);
		unite(&workers[0].use, &workers[i].use, reader);
		use_free(&workers[i].use);
	}
	*use = workers[0].use;
	free(workers);
	free(all.parts.at);
	if (all.status < 0 && error)
		*error = all.error;
	return all.status;
}
