/* SPDX-License-Identifier: MIT */
/* The command line of trace-bbv. */
#ifndef BBV_OPTIONS_H
#define BBV_OPTIONS_H

#include "analyzers/bbv/file.h"
#include "analyzers/bbv/memory.h"
#include "analyzers/common/analyzer.h"

enum bbv_compat { BBV_COMPAT_DEFAULT, BBV_COMPAT_EXP_BBV, BBV_COMPAT_EXACT };

enum { BBV_DEFAULT_INTERVAL = 100000000 };

struct bbv_options {
	uint64_t interval; /* 0: not chosen */
	const char *mark;  /* region that ends intervals; NULL: they have a length */
	const char *bb_file;
	const char *pc_file; /* NULL: none */
	bool count_only;
	bool keep_last;
	bool mangled;
	enum bbv_compat compat;
	unsigned cfg;              /* 1: blocks of the control flow graph */
	unsigned by_offset;        /* 1: places are distinguished by module and offset */
	unsigned places_by_offset; /* 1: pc_file has module and offset in any case */
	unsigned compression;      /* enum bbv_compression */
	enum bbv_memory_kind memory;
	double memory_weight;
	struct bbv_caches caches;
	const char *lengths; /* file of a first pass over all parts; NULL: none */
};

extern const struct command_option bbv_option_table[];
extern const struct bbv_options bbv_option_defaults;

/* The rules that the options ask for; returns false, after a message, if they exclude
 * each other. */
bool bbv_rules_of(const struct bbv_options *options, enum bbv_rules *rules);

#endif
