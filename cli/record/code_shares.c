/* SPDX-License-Identifier: MIT */
#include "cli/record/code_shares.h"

#include <math.h>
#include <string.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "traceformat/common/hash_table.h"

/* An instruction, by the hash of its module and its offset there. */
struct executed {
	struct place {
		uint64_t module, offset;
	} key;
	uint64_t times;
	uint32_t function; /* number */
};

/* A function, by the hashes of its module and its name. */
struct function {
	struct place key;
	char *name; /* "MODULE FUNCTION" */
};

struct code_shares {
	HASH_TABLE(struct executed) insns;
	HASH_TABLE(struct function) functions;
	uint64_t total;
};

struct code_shares *code_shares_new(void)
{
	return checked_array(1, sizeof(struct code_shares));
}

void code_shares_free(struct code_shares *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->functions.count; i++)
		free(s->functions.at[i].name);
	TABLE_FREE(s->functions);
	TABLE_FREE(s->insns);
	free(s);
}

static uint64_t module_hash(const struct tf_module *module)
{
	const char *name;

	if (!module)
		return 0;
	if (module->build_id_size)
		return hash_bytes(module->build_id, module->build_id_size);
	name = base_name(module->path);
	return hash_bytes(name, strlen(name));
}

/* Returns the number of the function that a place of a module belongs to. */
static uint32_t function_of(struct code_shares *s, struct tf_reader *reader,
			    const struct tf_block *block, uint64_t module)
{
	const struct tf_symbol *symbol = tf_symbol(reader, block->module, block->module_offset);
	const struct tf_module *m = tf_module(reader, block->module);
	const char *name = symbol ? symbol->name : "without symbol";
	struct function *f = checked(
		TABLE_PUT(s->functions,
			  ((struct place){ module, hash_bytes(name, strlen(name)) })));

	if (!f->name)
		f->name = text_format("%s %s", m ? base_name(m->path) : "no module", name);
	return (uint32_t)(f - s->functions.at);
}

/* Adds executions of the instructions [from, to) of a block. */
static void add_block(struct code_shares *s, struct tf_reader *reader, const struct tf_block *block,
		      uint64_t from, uint64_t to, uint64_t times)
{
	bool has_module = block->module != TF_NONE;
	uint64_t module = has_module ? module_hash(tf_module(reader, block->module)) : 0;
	uint64_t start = has_module ? block->module_offset : block->pc;
	uint32_t function = function_of(s, reader, block, module);

	for (uint64_t i = from; i < to && i < block->n_insns; i++) {
		struct executed *e = checked(
			TABLE_PUT(s->insns,
				  ((struct place){ module, start + block->insns[i].offset })));

		e->times += times;
		e->function = function;
		s->total += times;
	}
}

void code_shares_add_block(struct code_shares *s, struct tf_reader *reader,
			   const struct tf_block *block)
{
	add_block(s, reader, block, 0, UINT64_MAX, 1);
}

void code_shares_exclude(struct code_shares *s, const struct code_shares *excluded)
{
	for (size_t i = 0; i < s->insns.count; i++) {
		struct executed *e = &s->insns.at[i];

		if (!TABLE_FIND(excluded->insns, e->key))
			continue;
		s->total -= e->times;
		e->times = 0;
	}
}

/* ---- from traces ------------------------------------------------------------------------- */

/* The executions of a trace, as they are added. */
struct feeding {
	struct code_shares *shares;
	struct tf_reader *reader;
	uint64_t *whole;     /* executions of whole blocks, by id */
	uint64_t first, end; /* ordinals; end UINT64_MAX: all that comes */
};

/* Adds an execution at an ordinal. */
static void feed_block(struct feeding *f, const struct tf_block_exec *exec, uint64_t ordinal)
{
	uint64_t from = ordinal < f->first ? f->first - ordinal : 0;
	uint64_t left = f->end - ordinal, to = left < exec->executed ? left : exec->executed;

	if (!from && to == exec->block->n_insns)
		f->whole[exec->block->id]++;
	else
		add_block(f->shares, f->reader, exec->block, from, to, 1);
}

static void feed(struct feeding *f, const struct tf_item *item)
{
	uint64_t ordinal = item->ordinal;

	for (size_t i = 0; i < item->count; i++) {
		feed_block(f, &item->blocks[i], ordinal);
		ordinal += item->blocks[i].executed;
	}
}

int code_shares_add_trace(struct code_shares *s, struct tf_reader *reader, uint64_t first,
			  uint64_t end, struct tf_error *error)
{
	bool several = tf_n_threads(reader) > 1;
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct feeding f = { s, reader, checked_array(tf_n_blocks(reader), sizeof(*f.whole)),
			     several ? 0 : first, several ? UINT64_MAX : end };
	struct tf_cursor *cursor;
	struct tf_item item;
	int status;

	options.thread = several ? TF_MERGED : 0;
	options.first = first;
	options.count = end - first;
	status = tf_cursor_open(reader, &options, &cursor, error);
	if (status == 0) {
		while ((status = tf_next(cursor, &item, error)) > 0)
			if (item.kind == TF_ITEM_BLOCKS)
				feed(&f, &item);
		tf_cursor_close(cursor);
	}
	for (uint32_t id = 0; id < tf_n_blocks(reader); id++)
		if (f.whole[id])
			add_block(s, reader, tf_block(reader, id), 0, UINT64_MAX, f.whole[id]);
	free(f.whole);
	return status;
}

static void add_count(struct code_shares *s, struct tf_reader *reader,
		      const struct tf_vector_count *count)
{
	struct tf_exit_info exit;
	uint32_t left = count->executed;

	if (!tf_exit(reader, count->exit, &exit))
		return;
	for (uint32_t i = 0; left && i < exit.path->n_blocks; i++) {
		const struct tf_block *block = tf_block(reader, exit.path->blocks[i]);
		uint32_t n = !block ? left : left < block->n_insns ? left : block->n_insns;

		if (block)
			add_block(s, reader, block, 0, n, count->times);
		left -= n;
	}
}

void code_shares_add_vector(struct code_shares *s, struct tf_reader *reader,
			    const struct tf_vector *vector)
{
	for (size_t i = 0; i < vector->n_counts; i++)
		add_count(s, reader, &vector->counts[i]);
}

/* ---- comparing --------------------------------------------------------------------------- */

/*
 * Adds the difference of the shares of each instruction of a, or, with `missing`, of those that b
 * has not, to its function in `sums`.
 */
static double add_differences(const struct code_shares *a, const struct code_shares *b,
			      bool missing, double *sums)
{
	double sum = 0;

	for (size_t i = 0; i < a->insns.count; i++) {
		const struct executed *x = &a->insns.at[i], *y = TABLE_FIND(b->insns, x->key);
		double p = (double)x->times / (double)a->total;
		double difference = fabs(p - (y ? (double)y->times / (double)b->total : 0));

		if (missing && y)
			continue;
		sums[x->function] += difference;
		sum += difference;
	}
	return sum;
}

/* Returns the function with the greatest sum. */
static const struct function *greatest(const struct code_shares *s, const double *sums,
				       double *most)
{
	const struct function *found = NULL;

	*most = 0;
	for (size_t i = 0; i < s->functions.count; i++)
		if (sums[i] > *most) {
			*most = sums[i];
			found = &s->functions.at[i];
		}
	return found;
}

double code_shares_distance(const struct code_shares *a, const struct code_shares *b, char **where)
{
	double *of_a = checked_array(a->functions.count, sizeof(*of_a)), most_a;
	double *of_b = checked_array(b->functions.count, sizeof(*of_b)), most_b;
	double sum = add_differences(a, b, false, of_a) + add_differences(b, a, true, of_b);
	const struct function *f = greatest(a, of_a, &most_a), *g = greatest(b, of_b, &most_b);

	if (where) {
		f = g && most_b > most_a ? g : f;
		*where = f ? checked_copy(f->name) : NULL;
	}
	free(of_a);
	free(of_b);
	return a->total && b->total && sum < 2 ? sum / 2 : 1;
}
