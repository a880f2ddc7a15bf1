/* SPDX-License-Identifier: MIT */
/* The parameters of a modelled machine, all of them data: presets, and files that change them. */
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
	/* Operations ("ops") a cycle, and how many may be under way. */
	uint32_t dispatch_width, retire_width, rob, load_queue, store_queue;
	uint32_t several_ops; /* 0: every instruction is one op; 1: see insn.h */
	uint32_t rep_bytes;   /* that an op of rep movs or stos writes; 0: an element */

	uint32_t frontend_depth;          /* cycles from fetch to dispatch */
	uint32_t decode_depth;            /* further ones of what is not in the op cache */
	uint32_t op_cache, op_cache_ways; /* ops; 0: there is none */
	uint32_t restart;               /* cycles from the end of a mispredicted branch to fetch */
	uint32_t btb_entries, btb_ways; /* taken branches that fetch knows of; 0: all of them */
	uint32_t btb_penalty;           /* cycles that fetch loses with another one */

	uint32_t l1i_size, l1i_ways; /* bytes */
	uint32_t l1d_size, l1d_ways, l1d_latency;
	uint32_t l2_size, l2_ways, l2_latency;
	uint32_t l3_size, l3_ways, l3_latency;
	uint32_t l3_victim; /* 1: L3 gets what L2 evicts, and nothing else */
	uint32_t memory_latency;
	uint32_t memory_interval; /* cycles from one line of memory to the next; 0: none */
	uint32_t miss_buffers;    /* lines that L1D may wait for */
	uint32_t l1_prefetcher, l2_prefetcher; /* enum machine_prefetcher */
	uint32_t prefetch_distance;            /* strides, or lines, that prefetches are ahead */
	uint32_t forward_latency; /* of a load from a store under way with all its bytes */
	uint32_t forward_penalty; /* of one that has only some, after the store has retired */

	uint32_t itlb_entries, dtlb_entries; /* fully associative */
	uint32_t l2_tlb_entries, l2_tlb_ways, l2_tlb_latency;
	uint32_t l2_itlb_entries, l2_itlb_ways; /* 0: code uses the other one, too */
	uint32_t walk_latency;                  /* beyond that of the L2 TLB */
	uint32_t walk_cache; /* directory entries that walks need not load; 0: walks load
					   nothing */

	/* Latencies of ops by class, without memory. */
	uint32_t integer, multiply, divide, vector, floating, floating_divide, crypto, atomic,
		system;
	uint32_t vector_load; /* what a load to a vector register takes longer */

	uint32_t predictor;                    /* enum machine_predictor */
	uint32_t counter_bits, history_bits;   /* log2 of untagged counters; branches, of gshare */
	uint32_t tagged_bits;                  /* log2 of entries of each of the tagged tables */
	uint32_t return_stack, target_entries; /* the latter a power of two */
	uint32_t target_history; /* targets that a prediction of the next one depends on */
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
