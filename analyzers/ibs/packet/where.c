/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/packet/where.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/samples.h"

/* ---- reading ----------------------------------------------------------------------------- */

enum { MOST_NESTED = 64 };

struct parser {
	struct ibs_where *where;
	const char *at;
	const char *wrong;    /* the first error in the text; NULL: none so far */
	const char *wrong_at; /* the place of that error */
	bool is_no_field;     /* the error is an unknown field: the message lists all fields */
	unsigned depth;
};

static const char *const labels[] = { "cpu", "thread", "process", "mode", "comm" };

static uint8_t fail(struct parser *p, const char *wrong)
{
	if (!p->wrong) {
		p->wrong = wrong;
		p->wrong_at = p->at;
	}
	return 0;
}

static uint8_t add_node(struct parser *p, struct ibs_where_node node)
{
	if (p->where->n_nodes == IBS_MAX_NODES)
		return fail(p, "too long");
	p->where->nodes[p->where->n_nodes] = node;
	return p->where->n_nodes++;
}

/* Skips a sign. Returns false if another text comes next. */
static bool take(struct parser *p, const char *sign)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
	if (strncmp(p->at, sign, strlen(sign)))
		return false;
	p->at += strlen(sign);
	return true;
}

static uint8_t parse_label(struct parser *p, size_t length)
{
	for (unsigned i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (strlen(labels[i]) == length && !memcmp(labels[i], p->at, length)) {
			p->at += length;
			return IBS_LABEL_CPU + i;
		}
	p->is_no_field = !p->wrong;
	return fail(p, length ? "no such field" : "a field is missing");
}

/* Parses a name. Returns an enum ibs_field or ibs_label. */
static uint8_t parse_name(struct parser *p)
{
	enum ibs_field field;
	size_t length = 0;

	take(p, "");
	while (isalnum((unsigned char)p->at[length]) || p->at[length] == '_')
		length++;
	if (!ibs_field_find(p->at, length, &field))
		return parse_label(p, length);
	p->at += length;
	return field;
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

static void parse_text(struct parser *p, char text[IBS_MAX_WHERE_TEXT])
{
	bool quoted = take(p, "\"");
	size_t length = strcspn(p->at, "\"");

	for (size_t i = 0; !quoted && i < length; i++)
		if (!isalnum((unsigned char)p->at[i]) && !strchr(".-_", p->at[i]))
			length = i;
	if (!quoted && !length)
		fail(p, "a text is missing");
	if (length >= IBS_MAX_WHERE_TEXT) {
		fail(p, "a text is too long");
		return;
	}
	memcpy(text, p->at, length);
	p->at += length;
	if (quoted && !take(p, "\""))
		fail(p, "a \" is missing");
}

static bool is_text(uint8_t name)
{
	return name >= IBS_LABEL_MODE;
}

static bool is_mode(const char *text)
{
	for (uint8_t mode = 0; mode < SAMPLE_MODES; mode++)
		if (!strcmp(text, sample_mode_name(mode)))
			return true;
	return false;
}

static void parse_value(struct parser *p, struct ibs_where_node *node)
{
	if (!is_text(node->left))
		node->value = parse_number(p);
	else if (node->kind == WHERE_EQUAL || node->kind == WHERE_UNEQUAL)
		parse_text(p, node->text);
	else
		fail(p, "a text is not compared with == or !=");
	if (node->left == IBS_LABEL_MODE && !is_mode(node->text))
		fail(p, "a mode is user, kernel, hypervisor, guest-user, guest-kernel or unknown");
}

static uint8_t parse_comparison(struct parser *p)
{
	/* A sign that begins with another one stands before it. */
	static const struct {
		const char *sign;
		int kind;
	} signs[] = {
		{ "==", WHERE_EQUAL }, { "!=", WHERE_UNEQUAL }, { "<=", WHERE_UP_TO },
		{ ">=", WHERE_FROM },  { "<", WHERE_LESS },     { ">", WHERE_MORE },
	};
	struct ibs_where_node node = { .kind = WHERE_UNEQUAL, .left = parse_name(p) };
	bool compared = false;

	for (size_t i = 0; !compared && i < sizeof(signs) / sizeof(signs[0]); i++)
		if (take(p, signs[i].sign)) {
			node.kind = signs[i].kind;
			parse_value(p, &node);
			compared = true;
		}
	if (!compared && is_text(node.left))
		fail(p, "a text is not compared with == or !=");
	p->where->needs_callers |= node.left == IBS_LABEL_COMM;
	p->where->needs_hardware |= is_text(node.left) || node.left == IBS_LABEL_CPU;
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
		inner = add_node(p, (struct ibs_where_node){
					    .kind = WHERE_NOT,
					    .left = parse_one(p),
				    });
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

		left = add_node(p, (struct ibs_where_node){
					   .kind = WHERE_AND,
					   .left = left,
					   .right = right,
				   });
	}
	return left;
}

static uint8_t parse_or(struct parser *p)
{
	uint8_t left = parse_and(p);

	while (!p->wrong && take(p, "||")) {
		uint8_t right = parse_and(p);

		left = add_node(p, (struct ibs_where_node){
					   .kind = WHERE_OR,
					   .left = left,
					   .right = right,
				   });
	}
	return left;
}

/* Returns a message such as "a number is missing at character 5, '> x'". */
static const char *describe(const struct parser *p, const char *text)
{
	static char message[4096];
	const char *at = p->wrong_at + strspn(p->wrong_at, " \t\n");
	int size;

	if (*at)
		size = snprintf(message, sizeof(message), "%s at character %zu, '%.40s%s'",
				p->wrong, (size_t)(at - text) + 1, at,
				strlen(at) > 40 ? "..." : "");
	else
		size = snprintf(message, sizeof(message), "%s at the end", p->wrong);
	if (!p->is_no_field)
		return message;
	size += snprintf(message + size, sizeof(message) - (size_t)size, "; the fields are");
	for (unsigned i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		size += snprintf(message + size, sizeof(message) - (size_t)size, " %s", labels[i]);
	ibs_fields_list(message + size, sizeof(message) - (size_t)size);
	return message;
}

const char *ibs_where_parse(struct ibs_where *where, const char *text)
{
	struct parser parser = { .where = where, .at = text };

	where->n_nodes = 0;
	where->needs_callers = where->needs_hardware = false;
	parse_or(&parser);
	take(&parser, "");
	if (*parser.at)
		fail(&parser, "&& or || is expected");
	return parser.wrong ? describe(&parser, text) : NULL;
}

/* ---- deciding ---------------------------------------------------------------------------- */

enum truth { FALSE, TRUE, UNKNOWN };

static enum truth compare_text(const struct ibs_where_node *node, const struct ibs_sample *sample)
{
	const char *text = node->left == IBS_LABEL_MODE ? sample->mode : sample->comm;

	if (!text)
		return UNKNOWN;
	return (strcmp(text, node->text) == 0) == (node->kind == WHERE_EQUAL);
}

/* Gets a number of a sample. Returns false if the number is not known. */
static bool get_number(uint8_t name, const struct ibs_sample *sample, uint64_t *value)
{
	if (name < IBS_N_FIELDS)
		return ibs_packet_get(sample->packet, name, value);
	*value = name == IBS_LABEL_CPU      ? sample->cpu
		 : name == IBS_LABEL_THREAD ? sample->thread
					    : sample->process;
	return *value != TF_NONE;
}

static enum truth compare(const struct ibs_where_node *node, const struct ibs_sample *sample)
{
	uint64_t value;

	if (is_text(node->left))
		return compare_text(node, sample);
	if (!get_number(node->left, sample, &value))
		return UNKNOWN;
	switch (node->kind) {
	case WHERE_EQUAL: return value == node->value;
	case WHERE_UNEQUAL: return value != node->value;
	case WHERE_LESS: return value < node->value;
	case WHERE_UP_TO: return value <= node->value;
	case WHERE_MORE: return value > node->value;
	default: return value >= node->value;
	}
}

/* Joins two truth values by "and" (decisive: FALSE) or "or" (decisive: TRUE). */
static enum truth join(enum truth left, enum truth right, enum truth decisive)
{
	if (left == decisive || right == decisive)
		return decisive;
	return left == UNKNOWN ? left : right;
}

static enum truth decide(const struct ibs_where *where, unsigned at,
			 const struct ibs_sample *sample)
{
	const struct ibs_where_node *node = &where->nodes[at];

	if (node->kind > WHERE_OR)
		return compare(node, sample);

	enum truth left = decide(where, node->left, sample);

	if (node->kind == WHERE_NOT)
		return left == UNKNOWN ? UNKNOWN : left == FALSE;
	return join(left, decide(where, node->right, sample),
		    node->kind == WHERE_AND ? FALSE : TRUE);
}

bool ibs_where_holds(const struct ibs_where *where, const struct ibs_sample *sample)
{
	return !where->n_nodes || decide(where, where->n_nodes - 1, sample) == TRUE;
}
