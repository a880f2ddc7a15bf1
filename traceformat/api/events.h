/* SPDX-License-Identifier: MIT */
/* What happens between instructions. */
#ifndef TRACEFORMAT_API_EVENTS_H
#define TRACEFORMAT_API_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "traceformat/api/limits.h"

/* Values are those of the file. */
enum tf_event_kind {
	TF_EVENT_SYSCALL = 1, /* after the syscall instruction, before its result */
	TF_EVENT_SYSCALL_RESULT = 2,
	TF_EVENT_SIGNAL = 3,
	TF_EVENT_SIGRETURN = 4,
	TF_EVENT_THREAD_START = 5, /* first thing in a thread's stream */
	TF_EVENT_THREAD_EXIT = 6,
	TF_EVENT_PROCESS_START = 7, /* in the stream of the process's first thread */
	TF_EVENT_PROCESS_EXIT = 8,  /* in the stream of its last thread */
	TF_EVENT_EXEC = 9,
	TF_EVENT_MAPPING = 10,
	TF_EVENT_REGION_BEGIN = 11,
	TF_EVENT_REGION_END = 12,
	TF_EVENT_CALL = 13,         /* at a function's first instruction */
	TF_EVENT_RETURN = 14,       /* at the instruction it returned to */
	TF_EVENT_CONTROL_WORD = 15, /* after an instruction that loaded x87 cw or mxcsr */
	TF_EVENT_GAP = 16,          /* instructions ran that are not in the trace */
	TF_EVENT_TIME = 17,
	TF_EVENT_SEGMENT_BASE = 18, /* after fs or gs base changed */
};

enum tf_gap_reason {
	TF_GAP_SKIPPED = 1, /* outside of what was asked for */
	TF_GAP_SIZE_LIMIT = 2,
	TF_GAP_FAULT = 3, /* the recorder could not follow */
};

enum tf_control_word { TF_X87_CONTROL_WORD = 0, TF_MXCSR = 1 };

/*
 * An event stands between instructions: it happened after instruction ordinal - 1 and before
 * instruction ordinal of its thread. Times are CLOCK_MONOTONIC, in ns.
 */
struct tf_event {
	uint32_t kind; /* enum tf_event_kind, or a later one: then payload alone is set */
	uint32_t thread;
	uint64_t ordinal;
	union {
		struct {
			uint64_t number, args[6], time_ns;
		} syscall;
		struct {
			uint64_t number;
			int64_t result;
			uint64_t time_ns;
		} syscall_result;
		struct {
			uint32_t number;  /* SIGSEGV, ... */
			int32_t code;     /* si_code */
			uint64_t address; /* si_addr of a synchronous signal, else 0 */
			uint64_t pc;      /* interrupted place */
			uint64_t handler; /* 0: default action or ignored */
		} signal;
		struct {
			uint64_t pc;
		} sigreturn; /* where control goes on */
		struct {
			uint32_t thread;
			uint64_t time_ns;
		} thread_start;
		struct {
			int32_t status;
			uint64_t time_ns;
		} thread_exit;
		struct {
			uint32_t process;
			uint64_t time_ns;
		} process_start;
		struct {
			int32_t wait_status;
			uint64_t time_ns;
		} process_exit;
		struct {
			const char *path;
			uint64_t time_ns;
		} exec;
		struct {
			uint32_t index;
		} mapping;
		struct {
			uint32_t index;
		} region;
		struct {
			uint32_t function, n_args;
			uint64_t args[TF_MAX_CALL_ARGS];
		} call;
		struct {
			uint32_t function;
			uint64_t result;
		} ret;
		struct {
			uint32_t which, value;
		} control_word; /* enum tf_control_word */
		struct {
			uint32_t reason;
			uint64_t instructions;
		} gap; /* 0: number unknown */
		struct {
			uint64_t time_ns;
		} time;
		struct {
			uint32_t segment;
			uint64_t base;
		} segment_base;
	};
	const uint8_t *payload; /* as stored; reader only */
	size_t payload_size;
};

#endif
