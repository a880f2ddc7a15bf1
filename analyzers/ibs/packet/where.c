/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/packet/where.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------- */

enum { MOST_NESTED = 64 };

struct parser {
	struct ibs_where *where;
	const char *at;
	const char *wrong;	/* the first thing that is */
	unsigned depth;
};

static uint8_t fail(struct parser *p, const char *wrong)
{
	if (!p->wrong)
		p->wrong = wrong;
	return 0;
}

static uint8_t add_node(struct parser *p, struct ibs_where_node node)
{
	if (p->where->n_nodes == IBS_MAX_NODES)
		return fail(p, "too long");
	p->where->nodes[p->where->n_nodes] = node;
	return p->where->n_nodes++;
}

/* Takes a sign, if that comes next. */
static bool take(struct parser *p, const char *sign)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
	if (strncmp(p->at, sign, strlen(sign)))
		return false;
	p->at += strlen(sign);
	return true;
}

static enum ibs_field parse_field(struct parser *p)
{
	enum ibs_field field;
	size_t length = 0;

	while (isalnum((unsigned char)p->at[length]) || p->at[length] == '_')
		length++;
	if (ibs_field_find(p->at, length, &field)) {
		p->at += length;
		return field;
	}
	return fail(p, length ? "no such field" : "a field is missing");
}

static uint64_t parse_number(struct parser *p)
{
	char *end;

	take(p, "");
	if (!isdigit((unsigned char)*p->at))
		return fail(p, "a number is missing");
	errno = 0;

	uint64_t value = strtoull(p->at, &end, strncmp(p->at, "0x", 2) ? 10 : 16);

	if (errno)
		return fail(p, "a number is too large");
	p->at = end;
	return value;
}

static uint8_t parse_comparison(struct parser *p)
{
	/* Longer signs first. */
	static const struct {
		const char *sign;
		int kind;
	} signs[] = {
		{ "==", WHERE_EQUAL }, { "!=", WHERE_UNEQUAL }, { "<=", WHERE_UP_TO },
		{ ">=", WHERE_FROM }, { "<", WHERE_LESS }, { ">", WHERE_MORE },
	};
	struct ibs_where_node node = { .kind = WHERE_UNEQUAL, .left = parse_field(p) };

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (take(p, signs[i].sign)) {
			node.kind = signs[i].kind;
			node.value = parse_number(p);
			break;
		}
	return add_node(p, node);
}

static uint8_t parse_or(struct parser *p);

static uint8_t parse_one(struct parser *p)
{
	uint8_t inner;

	if (p->depth == MOST_NESTED)
		return fail(p, "too long");
	p->depth++;
	if (take(p, "!")) {
		inner = add_node(p, (struct ibs_where_node){ WHERE_NOT, parse_one(p), 0, 0 });
	} else if (take(p, "(")) {
		inner = parse_or(p);
		if (!take(p, ")"))
			fail(p, "a ) is missing");
	} else {
		inner = parse_comparison(p);
	}
	p->depth--;
	return inner;
}

static uint8_t parse_and(struct parser *p)
{
	uint8_t left = parse_one(p);

	while (!p->wrong && take(p, "&&")) {
		uint8_t right = parse_one(p);

		left = add_node(p, (struct ibs_where_node){ WHERE_AND, left, right, 0 });
	}
	return left;
}

static uint8_t parse_or(struct parser *p)
{
	uint8_t left = parse_and(p);

	while (!p->wrong && take(p, "||")) {
		uint8_t right = parse_and(p);

		left = add_node(p, (struct ibs_where_node){ WHERE_OR, left, right, 0 });
	}
	return left;
}

const char *ibs_where_parse(struct ibs_where *where, const char *text)
{
	struct parser parser = { .where = where, .at = text };

	where->n_nodes = 0;
	parse_or(&parser);
	take(&parser, "");
	if (*parser.at)
		fail(&parser, "not understood from some point on");
	return parser.wrong;
}

/* ---- deciding ---------------------------------------------------------------------------- */

enum truth { FALSE, TRUE, UNKNOWN };

static enum truth compare(const struct ibs_where_node *node, const struct ibs_packet *packet)
{
	uint64_t value;

	if (!ibs_packet_get(packet, node->left, &value))
		return UNKNOWN;
	switch (node->kind) {
	case WHERE_EQUAL:
		return value == node->value;
	case WHERE_UNEQUAL:
		return value != node->value;
	case WHERE_LESS:
		return value < node->value;
	case WHERE_UP_TO:
		return value <= node->value;
	case WHERE_MORE:
		return value > node->value;
	default:
		return value >= node->value;
	}
}

/* `decisive` alone decides: FALSE of "and", TRUE of "or". */
static enum truth join(enum truth left, enum truth right, enum truth decisive)
{
	if (left == decisive || right == decisive)
		return decisive;
	return left == UNKNOWN ? left : right;
}

static enum truth decide(const struct ibs_where *where, unsigned at,
			 const struct ibs_packet *packet)
{
	const struct ibs_where_node *node = &where->nodes[at];

	if (node->kind > WHERE_OR)
		return compare(node, packet);

	enum truth left = decide(where, node->left, packet);

	if (node->kind == WHERE_NOT)
		return left == UNKNOWN ? UNKNOWN : left == FALSE;
	return join(left, decide(where, node->right, packet),
		    node->kind == WHERE_AND ? FALSE : TRUE);
}

bool ibs_where_holds(const struct ibs_where *where, const struct ibs_packet *packet)
{
	return !where->n_nodes || decide(where, where->n_nodes - 1, packet) == TRUE;
}
