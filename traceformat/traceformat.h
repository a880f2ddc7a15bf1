/* SPDX-License-Identifier: MIT */
/*
 * libtraceformat - reads execution traces. FORMAT.md describes the file byte by byte.
 *
 * A trace has a static part, the dictionary, and a dynamic part, one stream for each thread:
 *
 *   dictionary   modules > basic blocks (code bytes, memory operands) > paths (superblocks: basic
 *                blocks in a row, their exits, and a recipe for each data address)
 *   streams      the exits taken, the slots (register values) that recipes need, and events
 *
 * A complete program, which prints the address of each basic block that was executed:
 *
 *	#include <err.h>
 *	#include <inttypes.h>
 *	#include <stdio.h>
 *	#include <traceformat.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct tf_cursor_options options = TF_CURSOR_OPTIONS;	// blocks, all threads
 *		struct tf_error error = { .text = "usage: blocks TRACE" };
 *		struct tf_reader *reader = NULL;
 *		struct tf_cursor *cursor = NULL;
 *		struct tf_item item;
 *		int more = -1;
 *
 *		if (argc == 2 && tf_open(argv[1], &reader, &error) == 0 &&
 *		    tf_cursor_open(reader, &options, &cursor, &error) == 0)
 *			while ((more = tf_next(cursor, &item, &error)) > 0)
 *				for (size_t i = 0; i < item.count; i++)
 *					printf("%" PRIx64 "\n", item.blocks[i].block->pc);
 *		if (more < 0)
 *			errx(1, "%s", error.text);
 *		tf_cursor_close(cursor);
 *		tf_close(reader);
 *	}
 *
 *	cc -o blocks blocks.c $(pkg-config --cflags --libs tracelab-format)
 *
 * The order of this header is that of use: errors; open and close; static code; replay; accesses;
 * events; the program; what a trace says of itself. A rare part follows: paths. tracesamples.h has
 * samples of hardware and basic block vectors, tracewriter.h writes traces, traceisa.h gives facts
 * about instructions, and analyzer.h is the skeleton of a command that analyzes a trace.
 *
 * Rules that hold throughout:
 * - A function that can fail returns 0 (or a count) or, if it failed, a negative enum tf_status. It
 *   then fills *error, unless `error` is NULL. Results through pointers are set only on success.
 *   "Errors: IO" stands for TF_E_IO.
 * - The library prints nothing, never ends the process, and has no global state.
 * - A reader may serve several threads once tf_load() has succeeded, each with cursors of its own.
 * - An ordinal is the number of a retired instruction within its thread's stream, from 0. A rep
 *   string instruction is one instruction, with a repetition count.
 */
#ifndef TRACEFORMAT_H
#define TRACEFORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define TF_FORMAT_MAJOR 1
#define TF_FORMAT_MINOR 8

struct tf_reader; /* an open trace */
struct tf_cursor; /* a place in it */

/* ---- errors ------------------------------------------------------------------------------ */

/* Values are pinned: they never change meaning. */
enum tf_status {
	TF_OK = 0,
	TF_E_IO = -10, /* the system refused: errno is in the text */
	TF_E_MEMORY = -11,
	TF_E_FOREIGN = -20,   /* the file is not a trace */
	TF_E_VERSION = -21,   /* the trace needs a newer library */
	TF_E_DAMAGED = -30,   /* a checksum or a rule of FORMAT.md does not hold */
	TF_E_TRUNCATED = -31, /* the file ends inside its header */
	TF_E_ARGUMENT = -40,  /* the caller asked for something that does not exist */
};

/* A failure and its place. text: one sentence, with the file, what failed, and what to do. */
struct tf_error {
	enum tf_status status;
	uint64_t offset;  /* in the file, bytes; 0 if the failure has no place */
	uint32_t section; /* section number, or UINT32_MAX */
	char text[512];
};

/* Returns a word for a status, for example "damaged"; a constant string. */
const char *tf_status_name(enum tf_status status);

/* Returns "libtraceformat X.Y.Z". */
const char *tf_version(void);

/* ---- open and close ---------------------------------------------------------------------- */

/*
 * Opens a trace; close it with tf_close(). "-" stands for standard input, which is read to its end.
 * Opening a finished trace takes a few reads, whatever its size. Opening any other trace takes a
 * read for each section. A trace that is unfinished or damaged opens as well: tf_get_info() says
 * what is lost. Errors: IO, MEMORY, FOREIGN, VERSION, TRUNCATED, DAMAGED (the file header).
 */
int tf_open(const char *path, struct tf_reader **reader, struct tf_error *error);

/*
 * Opens a trace on a seekable file descriptor, which stays the caller's and must stay open until
 * tf_close(). name: the file's name in messages. Errors: IO, MEMORY, FOREIGN, VERSION, TRUNCATED,
 * DAMAGED (the file header).
 */
int tf_open_fd(int fd, const char *name, struct tf_reader **reader, struct tf_error *error);

/*
 * The bytes of a trace that is no file, such as an object of a web server. read_at() copies up to
 * `size` bytes from an offset, and returns their number, 0 at the end, or -1 after filling *error
 * (which may be NULL); several threads call it at the same time. close() frees what `opaque` has;
 * it may be NULL.
 */
struct tf_source {
	void *opaque;
	int64_t (*read_at)(void *opaque, void *to, size_t size, uint64_t offset,
			   struct tf_error *error);
	void (*close)(void *opaque);
	uint64_t size; /* bytes */
};

/*
 * Opens a trace on a source, which is closed by tf_close(), or now if this fails. name: for
 * messages. Errors: those of read_at(); MEMORY, FOREIGN, VERSION, TRUNCATED, DAMAGED (the file
 * header).
 */
int tf_open_source(const struct tf_source *source, const char *name, struct tf_reader **reader,
		   struct tf_error *error);

/*
 * Closes the trace. All pointers that functions have returned for it become invalid. Close its
 * cursors before. NULL is allowed.
 */
void tf_close(struct tf_reader *reader);

/*
 * Loads the dictionary: the functions below that take a const struct tf_reader need it, and find
 * nothing before. tf_cursor_open() loads it as well. Errors: IO, MEMORY, VERSION; DAMAGED (the
 * dictionary is too large for the file: FORMAT.md 7).
 */
int tf_load(struct tf_reader *reader, struct tf_error *error);

/* ---- static code: basic blocks, instructions, memory operands ------------------------------ */

#define TF_NONE UINT32_MAX /* no such index */

/* Limits that every trace keeps. */
enum tf_limits {
	TF_MAX_BLOCK_INSNS = 256,
	TF_MAX_BLOCK_OPERANDS = 1024,
	TF_MAX_PATH_BLOCKS = 256,
	TF_MAX_PATH_VALUES = 16384,
	TF_MAX_PATH_SLOTS = 4096,
	TF_MAX_PATH_EXITS = 1024,
	TF_MAX_INSN_BYTES = 15,
	TF_MAX_LANES = 64,
	TF_MAX_OPERAND_BYTES = 65536, /* of an operand, or of a lane or repetition of it */
	TF_MAX_CALL_ARGS = 6,
};

/* The effect of an operand on memory; LOAD | STORE is a read-modify-write. */
enum tf_access { TF_LOAD = 1, TF_STORE = 2, TF_PREFETCH = 4 };

/* The form of an operand, and the values, "extras", that its execution has beside its address. */
enum tf_form {
	TF_PLAIN = 0,  /* size bytes at address; no extras */
	TF_MASKED = 1, /* lane i: size bytes at address + i * size, if bit i of extra[0] is set */
	TF_REP = 2,    /* extra[0] count before, extra[1] repetitions done, extra[2] enum tf_rep;
			   element i: size bytes at address + i * size (- if TF_REP_DOWN) */
	TF_LANES = 3,  /* gather, scatter: extra[0] mask, then the index vector, 8 bytes an extra;
			   lane i: size bytes at address + sign-extended index[i] * scale */
	TF_SIZED = 4,  /* extra[0] bytes at address (xsave, xrstor, ...) */
};

enum tf_rep {
	TF_REP_DOWN = 1,        /* direction flag set: addresses descend */
	TF_REP_ZF = 2,          /* zero flag after the last repetition */
	TF_REP_INTERRUPTED = 4, /* a signal interrupted it before it was complete */
};

enum tf_operand_flags {
	TF_IMPLICIT = 1,  /* not written in the assembly: push, pop, call, ret, string ops */
	TF_ADDRESS32 = 2, /* lane addresses wrap at 4 GiB */
};

enum tf_segment { TF_SEGMENT_NONE = 0, TF_SEGMENT_FS = 1, TF_SEGMENT_GS = 2 };

/* A memory operand of a static instruction. */
struct tf_operand {
	uint16_t insn;      /* index of its instruction in the block */
	uint8_t access;     /* enum tf_access */
	uint8_t form;       /* enum tf_form */
	uint8_t flags;      /* enum tf_operand_flags */
	uint8_t segment;    /* enum tf_segment; addresses already contain its base */
	uint8_t lanes;      /* TF_MASKED, TF_LANES: number of lanes, else 0 */
	uint8_t index_size; /* TF_LANES: bytes of an index, 4 or 8, else 0 */
	uint8_t scale;      /* TF_LANES: 1, 2, 4, 8, else 0 */
	uint16_t extra;     /* where its extras start in an execution's values, if it has any;
				   the operands of one rep instruction share theirs */
	uint32_t size;      /* bytes of one access, element or lane; 0 for TF_SIZED */
};

enum tf_insn_flags {
	TF_INSN_REP = 1,    /* a repeated string instruction: its operands are TF_REP */
	TF_INSN_OPAQUE = 2, /* operands unknown: the decoder does not know the instruction, or its
				   accesses have none of the forms. Known with META code: none */
};

/* A static instruction. Its operands are first_operand .. first_operand + n_operands - 1. */
struct tf_insn {
	uint16_t offset; /* bytes from the block's start */
	uint8_t length;  /* bytes */
	uint8_t flags;   /* enum tf_insn_flags */
	uint16_t first_operand;
	uint8_t n_operands;
};

/*
 * The facts of an instruction that a trace without code bytes has: FORMAT.md 4.8. Instructions of
 * one kind share a record. libtraceisa's isa_block_insn() and its like give these facts as they
 * give those of code. Registers are numbered as isa_register_name() does.
 * Category, iclass and mnemonic have at most TF_MAX_KIND_TEXT letters, digits and underscores; the
 * writer refuses other names, and a reader takes them for damage.
 */
enum tf_kind_limits { TF_MAX_KIND_REGISTERS = 12, TF_MAX_KIND_TEXT = 31 };

enum tf_kind_flags {
	TF_KIND_CONDITIONAL = 1,
	TF_KIND_REGISTER_TRANSFER = 2,
	TF_KIND_READS_FLAGS = 4,
	TF_KIND_WRITES_FLAGS = 8,
	TF_KIND_REPLACES_FLAGS = 16,
	TF_KIND_USES_GS = 32,
};

struct tf_insn_kind {
	const char *category, *iclass; /* struct isa_facts */
	const char *mnemonic;          /* "" if it is withheld, too */
	uint32_t flags;                /* enum tf_kind_flags, or-ed */
	uint32_t traits;               /* enum isa_trait, or-ed */
	uint8_t insn_class;            /* enum isa_class */
	uint8_t n_register_operands, n_reads, n_writes;
	uint8_t reads[TF_MAX_KIND_REGISTERS], writes[TF_MAX_KIND_REGISTERS];
	uint16_t general_reads, general_writes; /* struct isa_effects */
};

/* How control leaves a block's last instruction. */
enum tf_end {
	TF_END_NONE = 0,        /* falls through: length limit, or unreadable bytes follow */
	TF_END_CONDITIONAL = 1, /* jcc, loop, jrcxz, xbegin: target known */
	TF_END_JUMP = 2,        /* direct: target known */
	TF_END_INDIRECT_JUMP = 3,
	TF_END_CALL = 4, /* direct: target known */
	TF_END_INDIRECT_CALL = 5,
	TF_END_RETURN = 6,  /* ret, iret */
	TF_END_SYSCALL = 7, /* syscall, sysenter, int 0x80 */
	TF_END_TRAP = 8,    /* int3, int1, ud2, hlt, ... */
	TF_END_OPAQUE = 9,  /* an opaque instruction */
};

/*
 * A basic block: a straight run of instructions with one entry, its first, that ends with the first
 * control transfer or at a length limit. Blocks may overlap: one block is one (pc, bytes, module).
 * An execution of it has n_values values: values[i] is the address of operand i for
 * i < n_operands; the extras follow.
 */
struct tf_block {
	uint32_t id;
	uint32_t module;        /* index, or TF_NONE: code without a file */
	uint64_t pc;            /* virtual address of the first instruction */
	uint64_t module_offset; /* the same as an ELF virtual address of the module */
	uint64_t target;        /* static target of its branch, 0 if there is none */
	uint8_t end;            /* enum tf_end */
	uint16_t n_insns, n_operands, n_values;
	uint16_t code_size;  /* bytes */
	const uint8_t *code; /* zeros if the code is withheld */
	const struct tf_insn *insns;
	const struct tf_operand *operands;
	const struct tf_insn_kind *const *kinds; /* of each instruction, if the code is withheld;
						    else NULL */
};

/* Returns a block, or NULL if there is none of that id. */
const struct tf_block *tf_block(const struct tf_reader *reader, uint32_t id);
uint32_t tf_n_blocks(const struct tf_reader *reader); /* 1 + the greatest id */

/* ---- replay ------------------------------------------------------------------------------ */

enum tf_view { TF_VIEW_PATHS, TF_VIEW_BLOCKS, TF_VIEW_INSNS };

/* The columns to decode beside control flow; others are not read. */
enum tf_columns {
	TF_ADDRESSES = 1,
	TF_EVENTS = 2,
	TF_REPETITIONS = 4, /* TF_VIEW_PATHS: see struct tf_item; cheaper than addresses */
	TF_EXTENTS = 8,     /* likewise */
};

#define TF_MERGED UINT32_MAX /* all threads, in the recorded order */

struct tf_cursor_options {
	size_t size; /* sizeof(struct tf_cursor_options) */
	enum tf_view view;
	unsigned columns; /* enum tf_columns, or-ed */
	uint32_t thread;  /* index, or TF_MERGED */
	uint64_t first;   /* first instruction: an ordinal, or a step of the merged order */
	uint64_t count;   /* instructions; UINT64_MAX: to the end */
};
#define TF_CURSOR_OPTIONS                                                                     \
	{                                                                                     \
		sizeof(struct tf_cursor_options), TF_VIEW_BLOCKS, 0, TF_MERGED, 0, UINT64_MAX \
	}

enum tf_outcome {
	TF_NOT_TAKEN = 0, /* went on at the next instruction in memory */
	TF_TAKEN = 1,     /* jumped, to the block's target or to the next block executed */
	TF_PARTIAL = 2,   /* left inside, after `executed` instructions */
};

/* An execution of a path. */
struct tf_path_exec {
	uint32_t exit;     /* exit id, see tf_exit */
	uint32_t executed; /* instructions */
};

/* An execution of a basic block. */
struct tf_block_exec {
	const struct tf_block *block;
	const uint64_t *values; /* block->n_values; those of instructions that did not execute are
				   undefined; NULL without TF_ADDRESSES */
	uint16_t executed;      /* instructions */
	uint8_t outcome;        /* enum tf_outcome */
};

/* An execution of an instruction. */
struct tf_insn_exec {
	const struct tf_block *block;
	const uint64_t *values; /* the block's, as above */
	uint64_t pc;
	uint16_t index;  /* block->insns[index] */
	uint8_t outcome; /* of a block's last instruction, else TF_NOT_TAKEN */
};

enum tf_item_kind { TF_ITEM_PATHS = 1, TF_ITEM_BLOCKS, TF_ITEM_INSNS, TF_ITEM_EVENT };

/*
 * The result of tf_next: a batch of executions of one thread in program order, or one event.
 * Pointers are valid until the next call with the same cursor.
 */
struct tf_item {
	enum tf_item_kind kind;
	uint32_t thread;
	uint64_t ordinal;      /* of the first instruction of the batch, or the event's */
	uint64_t instructions; /* in the batch */
	size_t count;          /* executions in the batch */
	union {
		const struct tf_path_exec *paths;
		const struct tf_block_exec *blocks;
		const struct tf_insn_exec *insns;
		const struct tf_event *event;
	};
	/* With TF_REPETITIONS: the three extras (TF_REP) of each rep instruction that the batch
	 * executes, in order; else NULL. */
	const uint64_t *repetitions;
	/*
	 * TF_VIEW_PATHS with TF_ADDRESSES: the values of one execution after the other. An
	 * execution has those of as many blocks as its exit has; a partial one has those of all
	 * blocks of the path, undefined for instructions that did not execute. With TF_EXTENTS: a
	 * number for each executed operand whose form is not TF_PLAIN, in order: its bytes if it is
	 * TF_SIZED, else the number of its accesses. In the other views, and with TF_REPETITIONS:
	 * the array that the executions' values, or repetitions, point into, for callers that copy
	 * a batch.
	 */
	const uint64_t *values;
	size_t n_values;
};

/*
 * Opens a cursor at options->first; close it with tf_cursor_close(). An event comes before the
 * execution that contains its ordinal: between two instructions in TF_VIEW_INSNS, before the whole
 * block or path in the other views. If `first` or `first + count` is inside a block or path, those
 * views give the whole execution; TF_VIEW_INSNS is exact. The merged order changes threads only
 * between path executions. Errors: IO, MEMORY, VERSION, DAMAGED; ARGUMENT (no such thread;
 * TF_REPETITIONS or TF_EXTENTS in another view than TF_VIEW_PATHS, or with each other, or with
 * TF_ADDRESSES, which include them).
 */
int tf_cursor_open(struct tf_reader *reader, const struct tf_cursor_options *options,
		   struct tf_cursor **cursor, struct tf_error *error);

/* Closes a cursor; NULL is allowed. The reader keeps the memory of up to four cursors for reuse. */
void tf_cursor_close(struct tf_cursor *cursor);

/*
 * Fills *item with the next batch or event. Returns 1, 0 at the end, or a negative status. After
 * the error of a damaged chunk the next call continues behind the chunk, with a TF_EVENT_GAP
 * (TF_GAP_FAULT) for the instructions lost. Nothing is allocated per execution. Errors: IO, MEMORY,
 * VERSION, DAMAGED.
 */
int tf_next(struct tf_cursor *cursor, struct tf_item *item, struct tf_error *error);

/* ---- the single accesses of an execution: lanes, elements, repetitions ----------------------- */

/* The accesses of one operand execution: one, or one for each repetition or active lane. */
struct tf_accesses {
	uint64_t address;                 /* virtual, of the current access */
	uint32_t size;                    /* bytes of the current access */
	const struct tf_operand *operand; /* private from here */
	const uint64_t *extra;
	uint64_t base, next, end;
};

/*
 * Begins to iterate over the accesses of `operand`, an element of block->operands, in an execution
 * with these values. All four must outlive the iterator.
 */
void tf_accesses_begin(struct tf_accesses *it, const struct tf_operand *operand,
		       const struct tf_block *block, const uint64_t *values);

/* Moves to the next access, at first to the first one. Returns false if there is none. */
bool tf_accesses_next(struct tf_accesses *it);

/* All accesses of one block execution. */
struct tf_block_accesses {
	uint64_t address;                 /* virtual, of the current access */
	uint32_t size;                    /* bytes of the current access */
	const struct tf_operand *operand; /* of the access: its kind, its instruction */
	const struct tf_block_exec *exec; /* the execution that makes the access */
	struct tf_accesses accesses;      /* private from here */
	uint16_t next;
};

/*
 * Begins to iterate over the accesses of exec, which must have values and outlive the iterator. The
 * accesses come in the order of the executed instructions and of their operands: a repeated movs
 * gives all its loads, then all its stores.
 */
void tf_block_accesses_begin(struct tf_block_accesses *it, const struct tf_block_exec *exec);

/* Moves to the next access, at first to the first one. Returns false if there is none. */
bool tf_block_accesses_next(struct tf_block_accesses *it);

/* Returns the number of accesses of an operand execution: 1, repetitions, or active lanes. */
uint64_t tf_access_count(const struct tf_operand *operand, const uint64_t *values);

/* ---- events: what happens between instructions ----------------------------------------------- */

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
	TF_EVENT_GAP = 16,          /* instructions were executed that are not in the trace */
	TF_EVENT_TIME = 17,
	TF_EVENT_SEGMENT_BASE = 18, /* after fs or gs base changed */
};

enum tf_gap_reason {
	TF_GAP_SKIPPED = 1, /* outside of the parts to record */
	TF_GAP_SIZE_LIMIT = 2,
	TF_GAP_FAULT = 3, /* the recorder could not follow */
};

enum tf_control_word { TF_X87_CONTROL_WORD = 0, TF_MXCSR = 1 };

/*
 * An event stands between instructions: it happened after instruction ordinal - 1 and before
 * instruction ordinal of its thread. Times are CLOCK_MONOTONIC, in ns.
 */
struct tf_event {
	uint32_t kind; /* enum tf_event_kind, or a later one: then only payload is set */
	uint32_t thread;
	uint64_t ordinal;
	/* clang-format off */
	union {
		struct { uint64_t number, args[6], time_ns; } syscall;
		struct { uint64_t number; int64_t result; uint64_t time_ns; } syscall_result;
		struct {
			uint32_t number;  /* SIGSEGV, ... */
			int32_t code;     /* si_code */
			uint64_t address; /* si_addr of a synchronous signal, else 0 */
			uint64_t pc;      /* interrupted place */
			uint64_t handler; /* 0: default action or ignored */
		} signal;
		struct { uint64_t pc; } sigreturn; /* where control goes on */
		struct { uint32_t thread; uint64_t time_ns; } thread_start;
		struct { int32_t status; uint64_t time_ns; } thread_exit;
		struct { uint32_t process; uint64_t time_ns; } process_start;
		struct { int32_t wait_status; uint64_t time_ns; } process_exit;
		struct { const char *path; uint64_t time_ns; } exec;
		struct { uint32_t index; } mapping;
		struct { uint32_t index; } region;
		struct { uint32_t function, n_args; uint64_t args[TF_MAX_CALL_ARGS]; } call;
		struct { uint32_t function; uint64_t result; } ret;
		struct { uint32_t which, value; } control_word; /* enum tf_control_word */
		struct { uint32_t reason; uint64_t instructions; } gap; /* 0: number unknown */
		struct { uint64_t time_ns; } time;
		struct { uint32_t segment; uint64_t base; } segment_base;
	};
	/* clang-format on */
	const uint8_t *payload; /* as stored; only from a reader */
	size_t payload_size;
};

/* ---- the program: modules, symbols, processes, threads, mappings, regions ------------------- */

enum tf_module_kind { TF_MODULE_FILE = 0, TF_MODULE_VDSO = 1, TF_MODULE_JIT = 2 };

struct tf_module {
	uint32_t index;
	enum tf_module_kind kind;
	const char *path;
	uint8_t build_id[20];
	uint8_t build_id_size; /* bytes, 0 if it has none */
	uint64_t file_size;    /* bytes */
};

/* A symbol covers the module offsets value .. value + size - 1. */
struct tf_symbol {
	uint64_t value;   /* ELF virtual address */
	uint64_t size;    /* bytes, 0 if the symbol table does not say */
	uint8_t kind;     /* ELF STT_*: 1 object, 2 function, 10 ifunc */
	const char *name; /* as in the file, mangled */
};

struct tf_process {
	uint32_t index;
	uint32_t pid;
	uint32_t parent; /* process index, or TF_NONE */
};

struct tf_thread {
	uint32_t index; /* also the number of its stream */
	uint32_t process;
	uint32_t tid;
};

/* A function whose calls are events. */
struct tf_function {
	uint32_t index;
	uint32_t n_args; /* 0 .. TF_MAX_CALL_ARGS */
	const char *name;
};

enum tf_mapping_change { TF_MAP = 0, TF_UNMAP = 1, TF_PROTECT = 2 };

/* A change of a process's address space. */
struct tf_mapping {
	uint32_t index;
	enum tf_mapping_change change;
	uint32_t process;
	uint32_t module;      /* index, or TF_NONE */
	uint64_t start;       /* virtual address */
	uint64_t size;        /* bytes */
	uint64_t file_offset; /* bytes */
	uint32_t protection;  /* PROT_READ 1, PROT_WRITE 2, PROT_EXEC 4 */
	const char *name;     /* as in /proc/PID/maps: a file, "[heap]", "[stack]", or "" */
};

/* A named part of the trace, for example what --from and --to chose, or a SimPoint. */
struct tf_region {
	uint32_t index;
	const char *name;
};

/* Return a record, or NULL if there is none of that index or the dictionary is not loaded. */
const struct tf_module *tf_module(const struct tf_reader *reader, uint32_t index);
const struct tf_process *tf_process(const struct tf_reader *reader, uint32_t index);
const struct tf_thread *tf_thread(const struct tf_reader *reader, uint32_t index);
const struct tf_function *tf_function(const struct tf_reader *reader, uint32_t index);
const struct tf_mapping *tf_mapping(const struct tf_reader *reader, uint32_t index);
const struct tf_region *tf_region(const struct tf_reader *reader, uint32_t index);

/*
 * Return 1 + the greatest index. In a damaged trace records may be lost, for which the functions
 * above return NULL. An index in a record is that of a record that exists, or TF_NONE.
 */
uint32_t tf_n_modules(const struct tf_reader *reader);
uint32_t tf_n_processes(const struct tf_reader *reader);
uint32_t tf_n_threads(const struct tf_reader *reader);
uint32_t tf_n_functions(const struct tf_reader *reader);
uint32_t tf_n_mappings(const struct tf_reader *reader);
uint32_t tf_n_regions(const struct tf_reader *reader);

/* Returns the symbol that covers module_offset, or NULL. O(log symbols). */
const struct tf_symbol *tf_symbol(const struct tf_reader *reader, uint32_t module,
				  uint64_t module_offset);

/* Returns the module's symbols, ascending by value, and sets *count; NULL if there are none. */
const struct tf_symbol *tf_symbols(const struct tf_reader *reader, uint32_t module, size_t *count);

/*
 * Names the functions of stripped files: adds a symbol MODULE+0xOFFSET for each place that a direct
 * call leads to and that no symbol covers. tf_symbol() and tf_symbols() then return these symbols
 * too. Call it after tf_load(), and while no other thread uses the reader. Errors: MEMORY.
 */
int tf_name_called(struct tf_reader *reader, struct tf_error *error);

/* ---- what a trace says of itself ------------------------------------------------------------- */

/* Totals of a trace, a thread or a chunk. */
struct tf_totals {
	uint64_t instructions; /* retired; a rep string instruction is one */
	uint64_t loads;        /* accesses that read; each repetition and active lane is one */
	uint64_t stores;       /* accesses that write, counted likewise */
	uint64_t prefetches;
	uint64_t repetitions; /* of rep string instructions */
	uint64_t opaque;      /* opaque instructions */
	uint64_t blocks;      /* block executions */
	uint64_t paths;       /* path executions */
	uint64_t events;
};

struct tf_info {
	uint16_t major, minor; /* version of the file */
	uint8_t uuid[16];
	uint64_t created_ns; /* since 1970 UTC, 0 if withheld */
	uint64_t file_size;  /* bytes */
	bool closed;         /* finished by its writer */
	bool complete;       /* closed, and nothing is lost */
	bool has_addresses;
	bool order_exact;         /* threads were recorded one at a time */
	uint32_t n_sections;      /* usable */
	uint32_t n_sections_lost; /* damaged or cut */
	uint64_t bytes_lost;
	uint32_t n_threads, n_processes, n_modules, n_chunks;
	struct tf_totals totals;
	int32_t wait_status;           /* of the first process, -1 if not known */
	char stop_reason[64];          /* "exit", "count", ...; "" if that is not known */
	uint64_t n_samples;            /* records of samples, those of losses included */
	uint64_t n_vectors;            /* basic block vectors */
	uint32_t n_sections_restored;  /* damaged, but read from their copies; the file header
					   counts as one */
	bool consistent;               /* END and the ordinals agree with the chunks found; if
					   false, totals are those of the chunks */
	uint64_t stated_instructions;  /* as END says */
	uint64_t found_instructions;   /* as the chunks say */
	uint64_t missing_instructions; /* that chunks leave room for, but no section had */
	uint64_t n_intervals;          /* ends of intervals of basic block vectors */
	bool code_withheld;            /* blocks have kinds instead of code */
};

/*
 * Fills *info. For an unfinished trace this takes a small read for each chunk, whose totals are
 * added. n_sections_lost and bytes_lost include the damage that has been found so far: opening
 * checks the headers, tf_load() the dictionary, tf_verify() the chunks. Errors: IO, MEMORY.
 */
int tf_get_info(struct tf_reader *reader, struct tf_info *info, struct tf_error *error);

/* Fills *totals with those of one thread. Errors: IO, MEMORY; ARGUMENT (no such thread). */
int tf_get_thread_totals(struct tf_reader *reader, uint32_t thread, struct tf_totals *totals,
			 struct tf_error *error);

/* Returns the value of a META key, or NULL; valid until tf_close() or tf_refresh(). */
const char *tf_meta(struct tf_reader *reader, const char *key);

/* Returns META key i, from 0 on, and sets *value; NULL if there are no more. Valid as tf_meta(). */
const char *tf_meta_at(struct tf_reader *reader, size_t i, const char **value);

enum tf_file_kind { TF_FILE_OTHER, TF_FILE_UNFINISHED, TF_FILE_FINISHED };

/* Returns the kind of a file by its first and last bytes; TF_FILE_OTHER if it cannot be read. */
enum tf_file_kind tf_file_kind(const char *path);

/*
 * Looks for sections appended since opening or the last refresh, and returns their number. Cursors
 * of one thread that have reached the end then continue. Call it while no other thread uses the
 * reader. Errors: IO, MEMORY, VERSION, DAMAGED.
 */
int tf_refresh(struct tf_reader *reader, struct tf_error *error);

/*
 * Checks every byte that has a checksum, decodes every chunk, and compares totals. Calls
 * report(opaque, error) for each fault and continues. A chunk that executes lost parts of the
 * dictionary is a fault; totals that lack a lost chunk are not. Returns the number of faults, or a
 * negative status if it could not continue. Errors: those of tf_load().
 */
int tf_verify(struct tf_reader *reader, void (*report)(void *opaque, const struct tf_error *),
	      void *opaque, struct tf_error *error);

/* A section of the file, in file order. */
struct tf_section_info {
	uint32_t number;
	uint16_t kind;
	uint32_t thread;      /* TF_NONE: the whole trace's */
	uint64_t offset;      /* of its header in the file, bytes */
	uint64_t stored_size; /* payload, bytes in the file */
	uint64_t raw_size;    /* payload when decoded, bytes; 0 for a chunk */
	uint64_t first_ordinal;
	uint64_t instructions;
};

/* Fills *info for the usable section i, from 0 on. Returns false if there are no more. */
bool tf_section(struct tf_reader *reader, uint32_t i, struct tf_section_info *info);

/*
 * Calls visit(opaque, column id, coding, stored bytes, raw bytes) for each column of the usable
 * section i; for a section without columns, once with id 0. Errors: IO, MEMORY, DAMAGED; ARGUMENT
 * (no such section).
 */
int tf_section_columns(struct tf_reader *reader, uint32_t i,
		       void (*visit)(void *opaque, unsigned id, unsigned coding, uint64_t stored,
				     uint64_t raw),
		       void *opaque, struct tf_error *error);

/* Return the names of a section kind, for example "CHUNK", and of a chunk's column, "events". */
const char *tf_section_kind_name(uint16_t kind);
const char *tf_column_name(unsigned id);

/* ---- paths, for totals from one count per exit ----------------------------------------------- */

/*
 * A path (superblock): basic blocks recorded as one unit. Exit ids are dense over the trace:
 * first_exit + k is the path's exit k; first_exit + n_exits is its partial exit, used when
 * control leaves between any two instructions (a signal, a region's end). Values are those of
 * its blocks, one after the other.
 */
struct tf_path {
	uint32_t id, first_exit;
	uint16_t n_blocks;
	uint16_t n_exits; /* without the partial exit */
	uint16_t n_slots, n_values;
	uint32_t n_insns;
	const uint32_t *blocks;          /* n_blocks block ids */
	const struct tf_recipe *recipes; /* n_values, or NULL: value i is slot i */
	const struct tf_exit *exits;     /* n_exits; both are for writers: tracewriter.h */
};

/* Returns a path, or NULL if there is none of that id. */
const struct tf_path *tf_path(const struct tf_reader *reader, uint32_t id);

uint32_t tf_n_paths(const struct tf_reader *reader); /* 1 + the greatest id */
uint32_t tf_n_exits(const struct tf_reader *reader); /* 1 + the greatest exit id */

/* The meaning of an exit id. All of it is static: counts by exit id suffice for most totals. */
struct tf_exit_info {
	const struct tf_path *path;
	uint16_t n_blocks; /* blocks executed whole; 0 for a partial exit: see tf_path_exec */
	uint16_t n_values; /* of these blocks; for a partial exit, of the path */
	uint8_t outcome;   /* of the last, enum tf_outcome */
	uint32_t n_insns;  /* instructions executed; 0 for a partial exit */
};

/* Fills *info; returns false for an id that does not exist. */
bool tf_exit(const struct tf_reader *reader, uint32_t exit, struct tf_exit_info *info);

/*
 * Returns the outcome of block k of a path in an execution that left by the exit. Block k was
 * executed whole, and `left` instructions of the path after it.
 */
enum tf_outcome tf_block_outcome(const struct tf_exit_info *exit, uint32_t k, uint32_t left);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
