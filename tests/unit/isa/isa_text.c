/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/isa/isa_text.h"

static void __attribute__((format(printf, 2, 3))) add(struct text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text->length += vsnprintf(text->s + text->length, sizeof(text->s) - text->length, format,
				  arguments);
	va_end(arguments);
	ck_assert_uint_lt(text->length, sizeof(text->s));
}

static const char *const general_names[] = {
	"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"
};

/* For example fs:rax+rcx*8+16, low32(...) under an address-size prefix. */
static void add_address(struct text *text, const struct isa_address *address)
{
	const char *plus = "";

	add(text, " %s",
	    address->segment == TF_SEGMENT_FS   ? "fs:"
	    : address->segment == TF_SEGMENT_GS ? "gs:"
						: "");
	if (address->align)
		add(text, "align%d:", address->align);
	if (address->address32)
		add(text, "low32(");
	if (address->base != ISA_NO_REGISTER) {
		add(text, "%s", general_names[address->base]);
		plus = "+";
	}
	if (address->index != ISA_NO_REGISTER) {
		add(text, "%s%s%s*%d", plus, general_names[address->index],
		    address->index_byte ? ".byte" : "", address->scale);
		plus = "+";
	}
	if (address->bit_string) {
		add(text, "%sbits%d(%s)", plus, address->bit_string,
		    general_names[address->bit_register]);
		plus = "+";
	}
	if (address->displacement || !*plus)
		add(text, address->displacement < 0 ? "%s-%#lx" : "%s%#lx",
		    address->displacement < 0 ? "" : plus, labs(address->displacement));
	if (address->address32)
		add(text, ")");
}

static void add_mask(struct text *text, const struct isa_address *address)
{
	if (address->mask_source == ISA_MASK_K)
		add(text, " k%d", address->mask_register);
	else if (address->mask_source == ISA_MASK_SIGN)
		add(text, " signs of v%d by %d", address->mask_register, address->mask_element);
	else if (address->mask_source == ISA_MASK_MMX)
		add(text, " signs of mm%d", address->mask_register);
}

static void add_form(struct text *text, const struct isa_operand *operand)
{
	const struct tf_operand *trace = &operand->trace;
	const struct isa_address *address = &operand->address;

	switch (trace->form) {
	case TF_MASKED:
		add(text, " x%d", trace->lanes);
		if (address->mask_lanes)
			add(text, " of %d", address->mask_lanes);
		break;
	case TF_REP: add(text, " rep"); break;
	case TF_LANES:
		if (address->mask_source == ISA_MASK_TILE) {
			add(text, " x%d rows of tile%d by %s *%d", trace->lanes,
			    address->mask_register,
			    address->row_stride == ISA_NO_REGISTER
				    ? "0"
				    : general_names[address->row_stride],
			    address->scale);
			break;
		}
		add(text, " x%d at v%d by %d *%d", trace->lanes, address->index_vector,
		    trace->index_size, trace->scale);
		break;
	case TF_SIZED:
		if (address->size_source == ISA_SIZE_LANES)
			add(text, " packed x%d by %d", address->mask_lanes, address->mask_element);
		else
			add(text, address->size_source == ISA_SIZE_XSAVE ? " xsave" : " xsavec");
		break;
	}
	add_mask(text, address);
	if (operand->n_extras)
		add(text, " +%d", operand->n_extras);
}

static void add_operand(struct text *text, const struct isa_operand *operand)
{
	const struct tf_operand *trace = &operand->trace;

	add(text, "; %s%s%s%s", trace->flags & TF_IMPLICIT ? "~" : "",
	    trace->access & TF_LOAD ? "load" : "", trace->access & TF_STORE ? "store" : "",
	    trace->access & TF_PREFETCH ? "prefetch" : "");
	if (trace->form != TF_SIZED)
		add(text, " %u", trace->size);
	add_form(text, operand);
	add_address(text, &operand->address);
	ck_assert_int_eq(trace->segment, operand->address.segment);
	ck_assert_int_eq(!!(trace->flags & TF_ADDRESS32),
			 trace->form == TF_LANES && operand->address.address32 &&
				 operand->address.mask_source != ISA_MASK_TILE);
}

struct text describe(const struct isa_insn *insn)
{
	static const char *const ends[] = { "",      " conditional",   " jump",   " indirect-jump",
					    " call", " indirect-call", " return", " syscall",
					    " trap", " opaque-end" };
	static const char *const conditions[] = { "", " repe", " repne" };
	struct text text = { .length = 0 };

	add(&text, "%s%s", isa_class_name(insn->insn_class), ends[insn->end]);
	if (insn->target)
		add(&text, " %#lx", insn->target);
	if (insn->flags & TF_INSN_OPAQUE)
		add(&text, " opaque-flag");
	if (insn->flags & TF_INSN_REP)
		add(&text, " rep%d%s", insn->rep_element, conditions[insn->rep_condition]);
	if (insn->address32)
		add(&text, " address32");
	if (insn->loads_control_word)
		add(&text, " control%d", insn->loads_control_word);
	if (insn->writes_segment_base)
		add(&text, " segment%d", insn->writes_segment_base);
	for (int i = 0; i < insn->n_operands; i++)
		add_operand(&text, &insn->operands[i]);
	return text;
}

size_t parse_bytes(const char *hex, uint8_t *bytes)
{
	size_t n = 0;
	int used;

	for (unsigned byte; sscanf(hex, "%2x%n", &byte, &used) == 1; hex += used)
		bytes[n++] = byte;
	return n;
}
