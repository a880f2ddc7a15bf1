/* SPDX-License-Identifier: MIT */
/*
 * BT9, the branch traces of the championship of 2016 (CBP-2016): a graph in text, then the
 * numbers of the edges in the order in which they were passed. A node is a static branch. An edge
 * leads from a branch to the branch that was executed next; it has the outcome and target of the
 * former. An edge is known by its branch and target, so an execution that then went elsewhere, as
 * after a signal, passes the first edge with these. Node 0 stands before the first branch and
 * behind the last one.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/common/checked.h"
#include "cli/common/trace_meta.h"
#include "cli/export/block_template.h"
#include "cli/export/formats.h"
#include "cli/export/line.h"
#include "traceformat/common/hash_table.h"

struct node {
	uint64_t key; /* pc; 0: node 0 */
	const struct tf_block *block;
	uint64_t taken, not_taken, targets;
};

struct edge {
	struct edge_key {
		uint64_t node;
		uint64_t target; /* 0: not taken */
	} key;
	uint64_t to, led; /* node; where control went */
	uint64_t between; /* instructions between the two branches */
	uint64_t passed;
};

struct bt9 {
	struct block_templates blocks;
	HASH_TABLE(struct node) nodes;
	HASH_TABLE(struct edge) edges;
	uint64_t instructions, branches, since;
	struct edge_key from; /* the step that begins at the last branch */
	uint64_t led;
	bool writes; /* the graph is complete, and the sequence is being written */
};

/* Makes node 0, which is the first one. */
static void begin_graph(struct bt9 *b)
{
	if (!b->nodes.count)
		checked(TABLE_PUT(b->nodes, 0));
}

static uint64_t node_of(struct bt9 *b, const struct linear_insn *branch)
{
	struct node *node = checked(TABLE_PUT(b->nodes, branch->pc));

	node->block = branch->block;
	node->taken += branch->taken;
	node->not_taken += !branch->taken;
	return (uint64_t)(node - b->nodes.at);
}

/* Passes the edge from the last branch to a node. */
static void pass(struct export_run *e, uint64_t to)
{
	struct bt9 *b = e->state;
	struct edge *edge = checked(TABLE_PUT(b->edges, b->from));

	if (b->writes) {
		uint8_t *at = line_decimal(pack_room(e->out), (uint64_t)(edge - b->edges.at));

		export_advance(e, line_char(at, '\n'));
	} else if (!edge->passed++) {
		edge->to = to;
		edge->led = b->led;
		edge->between = b->since;
		b->nodes.at[b->from.node].targets += b->from.target != 0;
	} else {
		e->lost[LOSS_EDGES] += edge->to != to || edge->between != b->since;
	}
}

static void walk(struct export_run *e, const struct linear_insn *insn)
{
	struct bt9 *b = e->state;
	uint64_t node;

	begin_graph(b);
	b->instructions++;
	if (!linear_is_branch(insn)) {
		b->since++;
		return;
	}
	b->branches++;
	node = node_of(b, insn);
	pass(e, node);
	b->from = (struct edge_key){ node, insn->taken ? linear_target(insn) : 0 };
	b->led = insn->taken ? b->from.target : insn->pc + insn->insn->length;
	e->lost[LOSS_SUCCESSORS] += b->writes && insn->taken && !b->led;
	b->since = 0;
}

/* Only the last instruction of a block is a branch. */
static bool walk_block(struct export_run *e, const struct tf_block *block,
		       __attribute__((unused)) const uint64_t *values,
		       __attribute__((unused)) uint64_t ordinal)
{
	struct bt9 *b = e->state;

	if (!b->blocks.at)
		b->blocks = block_templates_new(e->reader);
	if (!is_template_block(&b->blocks.at[block->id], block))
		return false;
	b->instructions += block->n_insns - 1u;
	b->since += block->n_insns - 1u;
	return true;
}

/* ---- the graph --------------------------------------------------------------------------- */

static const char *class_of(const struct tf_block *block)
{
	switch (block->end) {
	case TF_END_CONDITIONAL: return "JMP+DIR+CND";
	case TF_END_JUMP: return "JMP+DIR+UCD";
	case TF_END_INDIRECT_JUMP: return "JMP+IND+UCD";
	case TF_END_CALL: return "CALL+DIR+UCD";
	case TF_END_INDIRECT_CALL: return "CALL+IND+UCD";
	default: return "RET+IND+UCD";
	}
}

static void put_text(struct export_run *e, char *text)
{
	pack_write(e->out, text, strlen(text));
	free(text);
}

/* Returns the code of an instruction as a number, its first byte first. */
static uint64_t opcode_of(const uint8_t *code, unsigned length)
{
	uint64_t opcode = 0;

	for (unsigned i = 0; i < length && i < sizeof(opcode); i++)
		opcode = opcode << 8 | code[i];
	return opcode;
}

static void put_node(struct export_run *e, size_t number, const struct node *node)
{
	const struct tf_insn *insn = &node->block->insns[node->block->n_insns - 1];
	const uint8_t *code = node->block->code + insn->offset;
	char mnemonic[32];

	isa_mnemonic(code, insn->length, node->key, recorded_vendor(e->reader), mnemonic,
		     sizeof(mnemonic));
	put_text(e, text_format("NODE %zu 0x%" PRIx64 " - 0x%" PRIx64
				" %u class: %s behavior: %s+%s taken_cnt: %" PRIu64
				" not_taken_cnt: %" PRIu64 " tgt_cnt: %" PRIu64
				" # mnemonic: \"%s\"\n",
				number, node->key, opcode_of(code, insn->length), insn->length,
				class_of(node->block),
				!node->not_taken ? "AT"
				: !node->taken   ? "ANT"
						 : "DYN",
				node->targets > 1 ? "IND" : "DIR", node->taken, node->not_taken,
				node->targets, mnemonic));
}

static void put_edge(struct export_run *e, size_t number, const struct edge *edge)
{
	put_text(e, text_format("EDGE %zu %" PRIu64 " %" PRIu64 " %c 0x%" PRIx64 " - %" PRIu64
				" traverse_cnt: %" PRIu64 "\n",
				number, edge->key.node, edge->to, edge->key.target ? 'T' : 'N',
				edge->led, edge->between, edge->passed));
}

/* Writes the head and the graph, and begins the sequence, for which the thread is walked again. */
static void begin(struct export_run *e)
{
	struct bt9 *b = e->state;

	begin_graph(b);
	pass(e, 0);
	put_text(e, text_format("BT9_SPA_TRACE_FORMAT\n"
				"bt9_minor_version: 0\n"
				"has_physical_address: 0\n"
				"md5_checksum:\n"
				"conversion_date:\n"
				"original_stf_input_file:\n"
				"total_instruction_count: %" PRIu64 "\n"
				"branch_instruction_count: %" PRIu64 "\n"
				"BT9_NODES\n"
				"NODE 0 0x0 - 0x0 0\n",
				b->instructions, b->branches));
	for (size_t i = 1; i < b->nodes.count; i++)
		put_node(e, i, &b->nodes.at[i]);
	put_text(e, checked_copy("BT9_EDGES\n"));
	for (size_t i = 0; i < b->edges.count; i++)
		put_edge(e, i, &b->edges.at[i]);
	put_text(e, checked_copy("BT9_EDGE_SEQUENCE\n"));
	b->writes = true;
	b->from = (struct edge_key){ 0 };
}

static void end(struct export_run *e)
{
	pass(e, 0);
	put_text(e, checked_copy("EOF\n"));
}

static void free_state(struct export_run *e)
{
	struct bt9 *b = e->state;

	block_templates_free(&b->blocks);
	TABLE_FREE(b->nodes);
	TABLE_FREE(b->edges);
}

const struct exporter bt9 = {
	.name = "bt9",
	.summary = "BT9: CBP-2016",
	.code = true,
	.state_size = sizeof(struct bt9),
	.count = walk,
	.count_block = walk_block,
	.begin = begin,
	.insn = walk,
	.block = walk_block,
	.end = end,
	.free = free_state,
};
