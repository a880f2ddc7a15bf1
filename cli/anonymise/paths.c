/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/paths.h"

#include "cli/common/checked.h"

unsigned extras_of(const struct tf_operand *operand)
{
	enum { REP_EXTRAS = 3 };

	switch (operand->form) {
	case TF_MASKED:
	case TF_SIZED: return 1;
	case TF_REP: return REP_EXTRAS;
	case TF_LANES: return 1 + (operand->lanes * operand->index_size + 7u) / 8;
	default: return 0;
	}
}

static bool has_blocks(const struct tf_reader *reader, const struct tf_path *path)
{
	for (unsigned b = 0; b < path->n_blocks; b++)
		if (!tf_block(reader, path->blocks[b]))
			return false;
	return true;
}

static bool is_plain(const struct tf_block *block)
{
	for (unsigned k = 0; k < block->n_operands; k++)
		if (block->operands[k].form != TF_PLAIN || block->operands[k].size > UINT16_MAX)
			return false;
	return true;
}

/* The first blocks of a path, whose values are all addresses of TF_PLAIN. */
struct plain_blocks {
	uint16_t *sizes; /* by value */
	uint32_t count;
};

static struct plain_blocks find_plain_blocks(struct paths *p, const struct tf_path *path)
{
	struct plain_blocks plain;
	uint16_t *size;

	plain.sizes = size = checked(pool_alloc(&p->pool, (path->n_values + 1u) * sizeof(*size)));
	for (plain.count = 0; plain.count < path->n_blocks; plain.count++) {
		const struct tf_block *block = p->blocks[path->blocks[plain.count]];

		if (!is_plain(block))
			break;
		for (unsigned k = 0; k < block->n_operands; k++)
			*size++ = (uint16_t)block->operands[k].size;
	}
	return plain;
}

static void find_plain_exits(struct paths *p, const struct tf_path *path)
{
	const struct plain_blocks plain = find_plain_blocks(p, path);

	for (uint32_t k = 0; k < path->n_exits; k++) {
		struct exit_use *exit = &p->exits[path->first_exit + k];

		if (exit->path && !exit->is_partial && exit->n_blocks <= plain.count)
			exit->sizes = plain.sizes;
	}
}

void paths_begin(struct paths *p, const struct tf_reader *reader)
{
	struct tf_exit_info info;

	*p = (struct paths){ .n_paths = tf_n_paths(reader),
			     .n_blocks = tf_n_blocks(reader),
			     .n_exits = tf_n_exits(reader) };
	p->paths = checked_array(p->n_paths, sizeof(*p->paths));
	p->blocks = checked_array(p->n_blocks, sizeof(*p->blocks));
	p->exits = checked_array(p->n_exits, sizeof(*p->exits));
	for (uint32_t i = 0; i < p->n_blocks; i++)
		p->blocks[i] = tf_block(reader, i);
	for (uint32_t i = 0; i < p->n_paths; i++) {
		const struct tf_path *path = tf_path(reader, i);

		if (path && has_blocks(reader, path))
			p->paths[i] = path;
	}
	for (uint32_t i = 0; i < p->n_exits; i++) {
		if (!tf_exit(reader, i, &info) || !p->paths[info.path->id])
			continue;
		p->exits[i] = (struct exit_use){
			.path = info.path,
			.n_values = info.n_values,
			.is_partial = info.outcome == TF_PARTIAL,
			.n_blocks = info.outcome == TF_PARTIAL ? info.path->n_blocks
							       : info.n_blocks,
		};
	}
	for (uint32_t i = 0; i < p->n_paths; i++)
		if (p->paths[i])
			find_plain_exits(p, p->paths[i]);
}

void paths_free(struct paths *p)
{
	free(p->paths);
	free(p->blocks);
	free(p->exits);
	pool_free(&p->pool);
	*p = (struct paths){ 0 };
}
