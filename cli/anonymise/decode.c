/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "cli/anonymise/packet.h"
#include "cli/anonymise/values.h"
#include "cli/common/checked.h"

/* Instead of a status: no more is wanted. */
enum { UNWANTED = 1 };

static int contradicts(const struct decoder *c, struct tf_error *error)
{
	snprintf(error->text, sizeof(error->text),
		 "the trace contradicts itself near instruction %llu of a thread",
		 (unsigned long long)c->ordinal);
	return error->status = TF_E_DAMAGED;
}

/* Makes room for a step with so many words. Returns 0 or UNWANTED. */
static int make_room(struct decoder *c, size_t words)
{
	struct packet *p = c->packet;

	if (p->n_steps < PACKET_STEPS && p->n_words + words <= PACKET_WORDS)
		return 0;
	c->packet = c->next_packet(c->opaque, p);
	return c->packet ? 0 : UNWANTED;
}

/* ---- events ------------------------------------------------------------------------------ */

static int add_pending(void *opaque, const struct tf_event *event,
		       __attribute__((unused)) struct tf_error *error)
{
	struct decoder *c = opaque;

	CHECKED_RESERVE(c->pending, c->pending.count + 1);
	c->pending.at[c->pending.count++] = (struct step){
		.kind = STEP_EVENT,
		.ordinal = event->ordinal,
		.event = *event,
	};
	return 0;
}

/* Hands over the pending events before an ordinal. */
static int put_events(struct decoder *c, uint64_t until)
{
	size_t n = 0;

	if (!c->pending.count)
		return 0;
	while (n < c->pending.count && c->pending.at[n].ordinal < until) {
		if (make_room(c, 0))
			return UNWANTED;
		c->packet->steps[c->packet->n_steps++] = c->pending.at[n++];
	}
	c->pending.count -= n;
	memmove(c->pending.at, c->pending.at + n, c->pending.count * sizeof(*c->pending.at));
	return 0;
}

/* ---- executions -------------------------------------------------------------------------- */

/* A way through a new path, or the last one, which may end inside. */
struct passage {
	const struct new_path *path;
	uint32_t exit;     /* id; TF_NONE: it ends inside, */
	uint32_t executed; /* after so many instructions of the new path */
	uint32_t n_slots;
};

/* Appends a record, for which there is room. Returns its slots. */
static uint64_t *put_record(struct packet *p, uint32_t exit, uint32_t n_slots)
{
	struct step *step = p->n_steps ? &p->steps[p->n_steps - 1] : NULL;
	uint64_t *record = p->words + p->n_words;

	if (!step || step->kind != STEP_RECORDS) {
		step = &p->steps[p->n_steps++];
		step->kind = STEP_RECORDS;
		step->at = p->n_words;
		step->count = 0;
	}
	step->count += 1 + n_slots;
	p->n_words += 1 + n_slots;
	*record = tf_record_head(exit, n_slots);
	return record + 1;
}

static uint64_t *put_partial(struct packet *p, const struct passage *to)
{
	uint64_t *slots = p->words + p->n_words;

	p->steps[p->n_steps++] = (struct step){
		.kind = STEP_PARTIAL,
		.path = to->path->id,
		.executed = to->executed,
		.at = p->n_words,
		.count = to->n_slots,
	};
	p->n_words += to->n_slots;
	return slots;
}

/* Writes the slots of the first instructions of a new path. */
static bool write_slots(struct decoder *c, const struct new_path *path, uint32_t executed,
			const uint64_t *values, uint64_t *slots)
{
	const uint32_t *blocks = path->old->blocks + path->first_block;
	bool alike = true;

	values += path->first_value;
	while (executed) {
		const struct block_layout *l = &c->d->layouts[*blocks++];
		uint32_t n = executed < l->block->n_insns ? executed : l->block->n_insns;

		if (l->block->n_operands)
			alike &= values_write(&c->rules.lookup, l, n, values, slots);
		values += l->block->n_values;
		slots += l->n_slots;
		executed -= n;
	}
	return alike;
}

/* Appends a passage of an execution with these values. */
static int put_passage(struct decoder *c, const struct passage *to, const uint64_t *values,
		       struct tf_error *error)
{
	uint64_t *slots;

	if (c->pending.count && put_events(c, c->ordinal + to->executed))
		return UNWANTED;
	if (make_room(c, 1 + (size_t)to->n_slots))
		return UNWANTED;
	slots = to->exit == TF_NONE ? put_partial(c->packet, to)
				    : put_record(c->packet, to->exit, to->n_slots);
	memset(slots, 0, to->n_slots * sizeof(*slots));
	c->packet->instructions += to->executed;
	c->ordinal += to->executed;
	return write_slots(c, to->path, to->executed, values, slots) ? 0 : contradicts(c, error);
}

static struct passage passage_through(const struct new_path *path)
{
	return (struct passage){ path, path->through, path->n_insns, path->n_slots };
}

/* Returns the passage that ends inside of a path, after instruction `executed` of the old one. */
static struct passage passage_into(const struct decoder *c, const struct new_path *path,
				   uint32_t executed)
{
	uint32_t insn = path->first_insn, b = 0;

	if (executed == path->first_insn + path->n_insns && path->through != TF_NONE)
		return passage_through(path);
	while (insn < executed)
		insn += c->d->layouts[path->old->blocks[path->first_block + b++]].block->n_insns;
	return (struct passage){ path, TF_NONE, executed - path->first_insn,
				 slots_of_blocks(c->d, path, b) };
}

/* Appends an execution: by one passage, or by several if its path has become several. */
static int put_execution(struct decoder *c, const struct exit_use *exit,
			 const struct tf_path_exec *exec, const uint64_t *values,
			 struct tf_error *error)
{
	const struct new_exit *new = &c->d->exits[exec->exit];
	const struct new_path *path = &c->d->new_paths.at[c->d->first_path[exit->path->id]];
	struct passage to;
	int status = 0;

	while (status == 0 && (exit->is_partial ? path->first_insn + path->n_insns < exec->executed
						: path != &c->d->new_paths.at[new->path])) {
		to = passage_through(path++);
		status = put_passage(c, &to, values, error);
	}
	if (status)
		return status;
	to = exit->is_partial ? passage_into(c, path, exec->executed)
			      : (struct passage){ path, new->exit,
						  exec->executed - path->first_insn, new->n_slots };
	return put_passage(c, &to, values, error);
}

/* Returns whether value i of an execution becomes slot i, as an address, and no event is inside. */
static bool is_plain(const struct decoder *c, const struct exit_use *exit,
		     const struct new_exit *new)
{
	return exit->sizes && exit->n_values == new->n_slots && !c->pending.count;
}

/* Appends such an execution. */
static int put_plain(struct decoder *c, const struct new_exit *new, uint32_t executed,
		     const uint64_t *values)
{
	uint64_t *slots;

	if (make_room(c, 1 + (size_t) new->n_slots))
		return UNWANTED;
	slots = put_record(c->packet, new->exit, new->n_slots);
	for (uint32_t i = 0; i < new->n_slots; i++)
		slots[i] = map_address(&c->rules.lookup, values[i]);
	c->packet->instructions += executed;
	c->ordinal += executed;
	return 0;
}

static int take_paths(struct decoder *c, const struct tf_item *item, struct tf_error *error)
{
	const uint64_t *values = item->values;
	int status = 0;

	if (item->ordinal != c->ordinal)
		return contradicts(c, error);
	for (size_t i = 0; i < item->count && status == 0; i++) {
		const struct tf_path_exec *exec = &item->paths[i];
		uint32_t later =
			item->paths[i + EXITS_AHEAD < item->count ? i + EXITS_AHEAD : i].exit;
		const struct exit_use *exit = &c->d->paths->exits[exec->exit];
		const struct new_exit *new = &c->d->exits[exec->exit];

		__builtin_prefetch(&c->d->paths->exits[later]);
		__builtin_prefetch(&c->d->exits[later]);
		status = is_plain(c, exit, new) ? put_plain(c, new, exec->executed, values)
						: put_execution(c, exit, exec, values, error);
		values += exit->n_values;
	}
	return status;
}

static int take_items(struct decoder *c, struct tf_cursor *cursor, struct tf_error *error)
{
	struct tf_item item;
	int status;

	while ((status = tf_next(cursor, &item, error)) > 0) {
		status = item.kind == TF_ITEM_EVENT
				 ? event_rewrite(&c->rules, item.event, add_pending, c, error)
				 : take_paths(c, &item, error);
		if (status)
			return status;
	}
	return status < 0 ? status : put_events(c, UINT64_MAX);
}

int decode_part(struct decoder *c, const struct stream_part *part, struct packet **last,
		struct tf_error *error)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	int status;

	options.view = TF_VIEW_PATHS;
	options.columns = TF_EVENTS | TF_ADDRESSES;
	options.thread = part->thread;
	options.first = part->first;
	options.count = part->count;
	c->ordinal = part->first;
	c->pending.count = 0;
	status = tf_cursor_open(c->d->reader, &options, &cursor, error);
	if (status < 0)
		return status;
	c->packet = c->next_packet(c->opaque, NULL);
	status = c->packet ? take_items(c, cursor, error) : UNWANTED;
	*last = c->packet;
	tf_cursor_close(cursor);
	return status;
}
