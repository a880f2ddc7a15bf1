/* SPDX-License-Identifier: MIT */
#include "cli/common/event_fields.h"

#include <string.h>
#include <sys/wait.h>

#include "cli/common/names.h"

struct fields {
	const struct tf_reader *reader;
	struct event_field *items;
	size_t count;
};

static struct event_field *add(struct fields *fields, const char *name, enum event_field_type type)
{
	struct event_field *field = &fields->items[fields->count++];

	*field = (struct event_field){ .name = name, .type = type };
	return field;
}

static void add_number(struct fields *fields, const char *name, uint64_t value)
{
	add(fields, name, EVENT_NUMBER)->number = value;
}

static void add_signed(struct fields *fields, const char *name, int64_t value)
{
	add(fields, name, EVENT_SIGNED)->signed_number = value;
}

static void add_hex(struct fields *fields, const char *name, uint64_t value)
{
	add(fields, name, EVENT_HEX)->number = value;
}

static void add_string(struct fields *fields, const char *name, const char *value)
{
	if (value)
		add(fields, name, EVENT_STRING)->string = value;
}

static void add_list(struct fields *fields, const char *name, enum event_field_type type,
		     const void *list, size_t count)
{
	struct event_field *field = add(fields, name, type);

	field->list = list;
	field->count = count;
}

/* An index into a fixed table of names; later formats may have more. */
static void add_choice(struct fields *fields, const char *name, const char *const *names,
		       size_t count, uint32_t value)
{
	if (value < count && names[value])
		add_string(fields, name, names[value]);
	else
		add_number(fields, name, value);
}
#define ADD_CHOICE(fields, name, names, value) \
	add_choice(fields, name, names, sizeof(names) / sizeof(names[0]), value)

/* ---- what events of a kind say ----------------------------------------------------------- */

static void add_syscall(struct fields *fields, const struct tf_event *event)
{
	add_number(fields, "number", event->syscall.number);
	add_string(fields, "name", syscall_name(event->syscall.number));
	add_list(fields, "args", EVENT_HEX_LIST, event->syscall.args, 6);
	add_number(fields, "time_ns", event->syscall.time_ns);
}

static void add_syscall_result(struct fields *fields, const struct tf_event *event)
{
	enum { MAX_ERRNO = 4095 };
	int64_t result = event->syscall_result.result;

	add_number(fields, "number", event->syscall_result.number);
	add_string(fields, "name", syscall_name(event->syscall_result.number));
	add_signed(fields, "result", result);
	if (result < 0 && result >= -MAX_ERRNO)
		add_string(fields, "error", strerrorname_np((int)-result));
	add_number(fields, "time_ns", event->syscall_result.time_ns);
}

static void add_signal(struct fields *fields, const struct tf_event *event)
{
	add_number(fields, "number", event->signal.number);
	add_string(fields, "name", signal_name(event->signal.number));
	add_signed(fields, "code", event->signal.code);
	add_hex(fields, "address", event->signal.address);
	add_hex(fields, "pc", event->signal.pc);
	add_hex(fields, "handler", event->signal.handler);
}

static void add_sigreturn(struct fields *fields, const struct tf_event *event)
{
	add_hex(fields, "pc", event->sigreturn.pc);
}

static void add_thread_start(struct fields *fields, const struct tf_event *event)
{
	const struct tf_thread *thread = tf_thread(fields->reader, event->thread_start.thread);

	add_number(fields, "started", event->thread_start.thread);
	if (thread) {
		add_number(fields, "tid", thread->tid);
		add_number(fields, "process", thread->process);
	}
	add_number(fields, "time_ns", event->thread_start.time_ns);
}

static void add_thread_exit(struct fields *fields, const struct tf_event *event)
{
	add_signed(fields, "status", event->thread_exit.status);
	add_number(fields, "time_ns", event->thread_exit.time_ns);
}

static void add_process_start(struct fields *fields, const struct tf_event *event)
{
	const struct tf_process *process = tf_process(fields->reader, event->process_start.process);

	add_number(fields, "process", event->process_start.process);
	if (process) {
		add_number(fields, "pid", process->pid);
		if (process->parent != TF_NONE)
			add_number(fields, "parent", process->parent);
	}
	add_number(fields, "time_ns", event->process_start.time_ns);
}

static void add_process_exit(struct fields *fields, const struct tf_event *event)
{
	int32_t status = event->process_exit.wait_status;

	if (WIFSIGNALED(status)) {
		add_number(fields, "signal", (uint64_t)WTERMSIG(status));
		add_string(fields, "name", signal_name((uint32_t)WTERMSIG(status)));
	} else if (WIFEXITED(status)) {
		add_number(fields, "status", (uint64_t)WEXITSTATUS(status));
	}
	add_number(fields, "time_ns", event->process_exit.time_ns);
}

static void add_exec(struct fields *fields, const struct tf_event *event)
{
	add_string(fields, "path", event->exec.path);
	add_number(fields, "time_ns", event->exec.time_ns);
}

static void add_mapping(struct fields *fields, const struct tf_event *event)
{
	static const char *const changes[] = {
		[TF_MAP] = "map", [TF_UNMAP] = "unmap", [TF_PROTECT] = "protect"
	};
	static const char *const protections[] = { "---", "r--", "-w-", "rw-",
						   "--x", "r-x", "-wx", "rwx" };
	const struct tf_mapping *mapping = tf_mapping(fields->reader, event->mapping.index);

	add_number(fields, "index", event->mapping.index);
	if (!mapping)
		return;
	ADD_CHOICE(fields, "change", changes, mapping->change);
	add_number(fields, "process", mapping->process);
	add_hex(fields, "start", mapping->start);
	add_number(fields, "size", mapping->size);
	ADD_CHOICE(fields, "protection", protections, mapping->protection);
	add_hex(fields, "file_offset", mapping->file_offset);
	if (mapping->module != TF_NONE)
		add_number(fields, "module", mapping->module);
	add_string(fields, "name", mapping->name);
}

static void add_region(struct fields *fields, const struct tf_event *event)
{
	const struct tf_region *region = tf_region(fields->reader, event->region.index);

	add_number(fields, "region", event->region.index);
	if (region)
		add_string(fields, "name", region->name);
}

static void add_function(struct fields *fields, uint32_t index)
{
	const struct tf_function *function = tf_function(fields->reader, index);

	add_number(fields, "function", index);
	if (function)
		add_string(fields, "name", function->name);
}

static void add_call(struct fields *fields, const struct tf_event *event)
{
	add_function(fields, event->call.function);
	add_list(fields, "args", EVENT_HEX_LIST, event->call.args, event->call.n_args);
}

static void add_return(struct fields *fields, const struct tf_event *event)
{
	add_function(fields, event->ret.function);
	add_hex(fields, "result", event->ret.result);
}

static void add_control_word(struct fields *fields, const struct tf_event *event)
{
	static const char *const words[] = { [TF_X87_CONTROL_WORD] = "x87", [TF_MXCSR] = "mxcsr" };

	ADD_CHOICE(fields, "which", words, event->control_word.which);
	add_hex(fields, "value", event->control_word.value);
}

static void add_gap(struct fields *fields, const struct tf_event *event)
{
	static const char *const reasons[] = {
		[TF_GAP_SKIPPED] = "skipped",
		[TF_GAP_SIZE_LIMIT] = "size-limit",
		[TF_GAP_FAULT] = "fault",
	};

	ADD_CHOICE(fields, "reason", reasons, event->gap.reason);
	if (event->gap.instructions)
		add_number(fields, "instructions", event->gap.instructions);
}

static void add_time(struct fields *fields, const struct tf_event *event)
{
	add_number(fields, "time_ns", event->time.time_ns);
}

static void add_segment_base(struct fields *fields, const struct tf_event *event)
{
	static const char *const segments[] = { [TF_SEGMENT_FS] = "fs", [TF_SEGMENT_GS] = "gs" };

	ADD_CHOICE(fields, "segment", segments, event->segment_base.segment);
	add_hex(fields, "base", event->segment_base.base);
}

static void add_unknown(struct fields *fields, const struct tf_event *event)
{
	add_number(fields, "kind", event->kind);
	add_list(fields, "payload", EVENT_BYTES, event->payload, event->payload_size);
}

/* ---- kinds ------------------------------------------------------------------------------- */

static const struct kind {
	const char *name;
	void (*add)(struct fields *fields, const struct tf_event *event);
} kinds[] = {
	[TF_EVENT_SYSCALL] = { "syscall", add_syscall },
	[TF_EVENT_SYSCALL_RESULT] = { "syscall-result", add_syscall_result },
	[TF_EVENT_SIGNAL] = { "signal", add_signal },
	[TF_EVENT_SIGRETURN] = { "sigreturn", add_sigreturn },
	[TF_EVENT_THREAD_START] = { "thread-start", add_thread_start },
	[TF_EVENT_THREAD_EXIT] = { "thread-exit", add_thread_exit },
	[TF_EVENT_PROCESS_START] = { "process-start", add_process_start },
	[TF_EVENT_PROCESS_EXIT] = { "process-exit", add_process_exit },
	[TF_EVENT_EXEC] = { "exec", add_exec },
	[TF_EVENT_MAPPING] = { "mapping", add_mapping },
	[TF_EVENT_REGION_BEGIN] = { "region-begin", add_region },
	[TF_EVENT_REGION_END] = { "region-end", add_region },
	[TF_EVENT_CALL] = { "call", add_call },
	[TF_EVENT_RETURN] = { "return", add_return },
	[TF_EVENT_CONTROL_WORD] = { "control-word", add_control_word },
	[TF_EVENT_GAP] = { "gap", add_gap },
	[TF_EVENT_TIME] = { "time", add_time },
	[TF_EVENT_SEGMENT_BASE] = { "segment-base", add_segment_base },
};

static const struct kind *kind_of(uint32_t kind)
{
	static const struct kind unknown = { "unknown", add_unknown };

	if (kind >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[kind].name)
		return &unknown;
	return &kinds[kind];
}

const char *event_name(uint32_t kind)
{
	return kind_of(kind)->name;
}

size_t event_fields(const struct tf_reader *reader, const struct tf_event *event,
		    struct event_field items[EVENT_MAX_FIELDS])
{
	struct fields fields = { .reader = reader, .items = items };

	kind_of(event->kind)->add(&fields, event);
	return fields.count;
}
