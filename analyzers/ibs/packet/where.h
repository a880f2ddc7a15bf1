/* SPDX-License-Identifier: MIT */
/*
 * Conditions on samples: "dc_miss && (dc_miss_lat >= 100 || !st)". A name is that of a field, or
 * cpu, thread or process; by itself it holds if it is not 0. Comparisons are with numbers, decimal
 * or 0x...: == != < <= > >=. The texts mode and comm are equal to others or not: comm == "a name",
 * without quotes if it has only letters, digits and .-_ characters. A condition on an unknown field
 * is neither true nor false.
 */
#ifndef IBS_WHERE_H
#define IBS_WHERE_H

#include "analyzers/ibs/packet/packet.h"

enum { IBS_MAX_NODES = 64, IBS_MAX_WHERE_TEXT = 32 };

/* The data of samples that conditions can test beside the fields of packets. */
enum ibs_label {
	IBS_LABEL_CPU = IBS_N_FIELDS,
	IBS_LABEL_THREAD,
	IBS_LABEL_PROCESS,
	IBS_LABEL_MODE,
	IBS_LABEL_COMM,
};

struct ibs_where {
	unsigned n_nodes;    /* 0: all samples; the last node is the whole condition */
	bool needs_callers;  /* tests a thread's name */
	bool needs_hardware; /* tests a fact that the model does not have */
	struct ibs_where_node {
		enum {
			WHERE_NOT,
			WHERE_AND,
			WHERE_OR,
			WHERE_EQUAL,
			WHERE_UNEQUAL,
			WHERE_LESS,
			WHERE_UP_TO,
			WHERE_MORE,
			WHERE_FROM,
		} kind;
		uint8_t left,
			right; /* numbers of nodes; left of a comparison: ibs_field, ibs_label */
		uint64_t value;
		char text[IBS_MAX_WHERE_TEXT]; /* compared instead of a value */
	} nodes[IBS_MAX_NODES];
};

/* Reads a condition. Returns NULL, or the error in the text. */
const char *ibs_where_parse(struct ibs_where *where, const char *text);

/* Returns true if the condition holds for a sample. */
bool ibs_where_holds(const struct ibs_where *where, const struct ibs_sample *sample);

#endif
