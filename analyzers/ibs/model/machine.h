/* SPDX-License-Identifier: MIT */
/* The parameters of a modeled machine, all of them data: presets, and files that change them. */
#ifndef IBS_MACHINE_H
#define IBS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MACHINE_LINE_SHIFT = 6, MACHINE_PAGE_SHIFT = 12 }; /* log2 of bytes */

/* clang-format off */
enum machine_predictor {
	PREDICTOR_PERFECT, PREDICTOR_STATIC, PREDICTOR_BIMODAL, PREDICTOR_GSHARE, PREDICTOR_TAGE,
};
/* clang-format on */

enum machine_prefetcher { PREFETCH_NONE, PREFETCH_NEXT_LINE, PREFETCH_STRIDE };

/* Latencies are in cycles; those of caches and memory are from the load to the use of its data. */
struct machine {
	/* Widths are in operations ("ops") a cycle; the others are the most ops in flight. */
	uint32_t dispatch_width, retire_width, rob, load_queue, store_queue;
	uint32_t several_ops; /* 0: every instruction is one op; 1: see insn.h */
	uint32_t rep_bytes;   /* bytes that an op of rep movs or stos writes; 0: one element */

	uint32_t frontend_depth;          /* cycles from fetch to dispatch */
	uint32_t decode_depth;            /* more cycles for code that is not in the op cache */
	uint32_t op_cache, op_cache_ways; /* capacity in ops; 0: no op cache */
	uint32_t restart;               /* cycles from the end of a mispredicted branch to fetch */
	uint32_t btb_entries, btb_ways; /* taken branches that the BTB holds; 0: all */
	uint32_t btb_penalty;           /* cycles that fetch loses at a branch that the BTB lacks */

	uint32_t l1i_size, l1i_ways; /* bytes */
	uint32_t l1d_size, l1d_ways, l1d_latency;
	uint32_t l2_size, l2_ways, l2_latency;
	uint32_t l3_size, l3_ways, l3_latency;
	uint32_t l3_victim; /* 1: L3 is a victim cache of L2 */
	uint32_t memory_latency;
	uint32_t memory_interval; /* cycles between two lines from memory; 0: no limit */
	uint32_t miss_buffers;    /* outstanding misses of L1D */
	uint32_t l1_prefetcher, l2_prefetcher; /* enum machine_prefetcher */
	uint32_t prefetch_distance;            /* distance of prefetches, in strides or lines */
	uint32_t
		forward_latency; /* latency of a load whose bytes all come from a store in flight */
	uint32_t
		forward_penalty; /* latency after the store's retirement if it has only some bytes */

	uint32_t itlb_entries, dtlb_entries; /* fully associative */
	uint32_t l2_tlb_entries, l2_tlb_ways, l2_tlb_latency;
	uint32_t l2_itlb_entries, l2_itlb_ways; /* 0: code uses the L2 TLB of data */
	uint32_t walk_latency;                  /* in addition to the latency of the L2 TLB */
	uint32_t walk_cache; /* directory entries that walks need not load; 0: walks load
					   nothing */

	/* Latencies of ops by class, without memory. */
	uint32_t integer, multiply, divide, vector, floating, floating_divide, crypto, atomic,
		system;
	uint32_t vector_load; /* additional latency of a load to a vector register */

	uint32_t predictor;                    /* enum machine_predictor */
	uint32_t counter_bits, history_bits;   /* log2 of untagged counters; branches, of gshare */
	uint32_t tagged_bits;                  /* log2 of entries of each of the tagged tables */
	uint32_t return_stack, target_entries; /* target_entries is a power of two */
	uint32_t target_history; /* number of earlier targets that predict the next one */
};

/* Sets a preset: "simple", "zen4", "zen5", "goldencove", "k10". Returns false for another name. */
bool machine_preset(struct machine *machine, const char *name);

/*
 * Changes a machine as a file says, line by line: "preset = zen4", "rob = 512"; "#" begins a
 * comment. Returns false with a message (FILE:LINE: ...) in error.
 */
bool machine_read(struct machine *machine, const char *path, char *error, size_t size);

/* Writes the parameters in the form of such a file. */
void machine_write(const struct machine *machine, FILE *out);

#endif
