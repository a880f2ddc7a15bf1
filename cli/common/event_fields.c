/* SPDX-License-Identifier: MIT */
#include "cli/common/event_fields.h"

#include <string.h>
#include <sys/wait.h>

#include "cli/common/names.h"

static const char *const event_names[] = {
	[TF_EVENT_SYSCALL] = "syscall",
	[TF_EVENT_SYSCALL_RESULT] = "syscall-result",
	[TF_EVENT_SIGNAL] = "signal",
	[TF_EVENT_SIGRETURN] = "sigreturn",
	[TF_EVENT_THREAD_START] = "thread-start",
	[TF_EVENT_THREAD_EXIT] = "thread-exit",
	[TF_EVENT_PROCESS_START] = "process-start",
	[TF_EVENT_PROCESS_EXIT] = "process-exit",
	[TF_EVENT_EXEC] = "exec",
	[TF_EVENT_MAPPING] = "mapping",
	[TF_EVENT_REGION_BEGIN] = "region-begin",
	[TF_EVENT_REGION_END] = "region-end",
	[TF_EVENT_CALL] = "call",
	[TF_EVENT_RETURN] = "return",
	[TF_EVENT_CONTROL_WORD] = "control-word",
	[TF_EVENT_GAP] = "gap",
	[TF_EVENT_TIME] = "time",
	[TF_EVENT_SEGMENT_BASE] = "segment-base",
};

const char *event_name(uint32_t kind)
{
	const char *name = NULL;

	if (kind < sizeof(event_names) / sizeof(event_names[0]))
		name = event_names[kind];
	return name ? name : "unknown";
}

struct fields {
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

static void add_thread_start(struct fields *fields, const struct tf_reader *reader,
			     const struct tf_event *event)
{
	const struct tf_thread *thread = tf_thread(reader, event->thread_start.thread);

	add_number(fields, "started", event->thread_start.thread);
	if (thread) {
		add_number(fields, "tid", thread->tid);
		add_number(fields, "process", thread->process);
	}
	add_number(fields, "time_ns", event->thread_start.time_ns);
}

static void add_process_start(struct fields *fields, const struct tf_reader *reader,
			      const struct tf_event *event)
{
	const struct tf_process *process = tf_process(reader, event->process_start.process);

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

static void add_mapping(struct fields *fields, const struct tf_reader *reader, uint32_t index)
{
	static const char *const changes[] = {
		[TF_MAP] = "map", [TF_UNMAP] = "unmap", [TF_PROTECT] = "protect",
	};
	static const char *const protections[] = {
		"---", "r--", "-w-", "rw-", "--x", "r-x", "-wx", "rwx",
	};
	const struct tf_mapping *mapping = tf_mapping(reader, index);

	add_number(fields, "index", index);
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

static void add_region(struct fields *fields, const struct tf_reader *reader, uint32_t index)
{
	const struct tf_region *region = tf_region(reader, index);

	add_number(fields, "region", index);
	if (region)
		add_string(fields, "name", region->name);
}

static void add_function(struct fields *fields, const struct tf_reader *reader, uint32_t index)
{
	const struct tf_function *function = tf_function(reader, index);

	add_number(fields, "function", index);
	if (function)
		add_string(fields, "name", function->name);
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

size_t event_fields(const struct tf_reader *reader, const struct tf_event *event,
		    struct event_field items[EVENT_MAX_FIELDS])
{
	static const char *const words[] = {
		[TF_X87_CONTROL_WORD] = "x87", [TF_MXCSR] = "mxcsr",
	};
	static const char *const segments[] = {
		[TF_SEGMENT_FS] = "fs", [TF_SEGMENT_GS] = "gs",
	};
	struct fields fields = { items, 0 };

	switch (event->kind) {
	case TF_EVENT_SYSCALL:
		add_number(&fields, "number", event->syscall.number);
		add_string(&fields, "name", syscall_name(event->syscall.number));
		add_list(&fields, "args", EVENT_HEX_LIST, event->syscall.args, 6);
		add_number(&fields, "time_ns", event->syscall.time_ns);
		break;
	case TF_EVENT_SYSCALL_RESULT:
		add_syscall_result(&fields, event);
		break;
	case TF_EVENT_SIGNAL:
		add_signal(&fields, event);
		break;
	case TF_EVENT_SIGRETURN:
		add_hex(&fields, "pc", event->sigreturn.pc);
		break;
	case TF_EVENT_THREAD_START:
		add_thread_start(&fields, reader, event);
		break;
	case TF_EVENT_THREAD_EXIT:
		add_signed(&fields, "status", event->thread_exit.status);
		add_number(&fields, "time_ns", event->thread_exit.time_ns);
		break;
	case TF_EVENT_PROCESS_START:
		add_process_start(&fields, reader, event);
		break;
	case TF_EVENT_PROCESS_EXIT:
		add_process_exit(&fields, event);
		break;
	case TF_EVENT_EXEC:
		add_string(&fields, "path", event->exec.path);
		add_number(&fields, "time_ns", event->exec.time_ns);
		break;
	case TF_EVENT_MAPPING:
		add_mapping(&fields, reader, event->mapping.index);
		break;
	case TF_EVENT_REGION_BEGIN:
	case TF_EVENT_REGION_END:
		add_region(&fields, reader, event->region.index);
		break;
	case TF_EVENT_CALL:
		add_function(&fields, reader, event->call.function);
		add_list(&fields, "args", EVENT_HEX_LIST, event->call.args, event->call.n_args);
		break;
	case TF_EVENT_RETURN:
		add_function(&fields, reader, event->ret.function);
		add_hex(&fields, "result", event->ret.result);
		break;
	case TF_EVENT_CONTROL_WORD:
		ADD_CHOICE(&fields, "which", words, event->control_word.which);
		add_hex(&fields, "value", event->control_word.value);
		break;
	case TF_EVENT_GAP:
		add_gap(&fields, event);
		break;
	case TF_EVENT_TIME:
		add_number(&fields, "time_ns", event->time.time_ns);
		break;
	case TF_EVENT_SEGMENT_BASE:
		ADD_CHOICE(&fields, "segment", segments, event->segment_base.segment);
		add_hex(&fields, "base", event->segment_base.base);
		break;
	default:
		add_number(&fields, "kind", event->kind);
		add_list(&fields, "payload", EVENT_BYTES, event->payload, event->payload_size);
	}
	return fields.count;
}
