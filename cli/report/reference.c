/* SPDX-License-Identifier: MIT */
#include "cli/report/reference.h"

#include <math.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"
#include "cli/report/facts.h"

/* The assembler copies the file into the object file, with a NUL behind it. */
/* clang-format off */
__asm__(".pushsection .rodata\n"
	".global report_reference\n"
	".hidden report_reference\n"
	".type report_reference, @object\n"
	"report_reference: .incbin \"cli/report/reference.json\"\n"
	".byte 0\n"
	".size report_reference, . - report_reference\n"
	".popsection\n");
/* clang-format on */
extern const char report_reference[];

/* A characteristic: the quotient of two results, times a factor. */
struct axis {
	const char *name, *unit, *definition;
	const char *count, *other_count; /* added; NULL: 0 */
	const char *divisor;             /* NULL: 1 */
	double factor;
};

#define EXECUTIONS "mica.itypes.executions"
#define PERCENT    "% of instructions"

static const struct axis axes[] = {
	{ "loads", PERCENT, "accesses that read memory, for 100 instructions",
	  "mica.itypes.mem_read", NULL, EXECUTIONS, 100 },
	{ "stores", PERCENT, "accesses that write memory, for 100 instructions",
	  "mica.itypes.mem_write", NULL, EXECUTIONS, 100 },
	{ "branches", PERCENT, "conditional branches", "mica.ppm.branches", NULL, EXECUTIONS, 100 },
	{ "vectors and reals", PERCENT, "instructions of SSE, AVX and the x87", "mica.itypes.sse",
	  "mica.itypes.floating_point", EXECUTIONS, 100 },
	{ "parallelism, 32", "instructions/cycle",
	  "of an ideal processor that looks 32 instructions ahead", "mica.ilp.executions", NULL,
	  "mica.ilp.cycles_32", 1 },
	{ "parallelism, 256", "instructions/cycle",
	  "of an ideal processor that looks 256 instructions ahead", "mica.ilp.executions", NULL,
	  "mica.ilp.cycles_256", 1 },
	{ "mispredicted", "% of branches",
	  "conditional branches that the GAs predictor by partial matching mispredicts",
	  "mica.ppm.gas_12", NULL, "mica.ppm.branches", 100 },
	{ "operands", "operands/instruction", "registers that instructions read",
	  "mica.reg.operands", NULL, "mica.reg.executions", 1 },
	{ "near uses", "% of uses", "values of registers that are at most 8 instructions old",
	  "mica.reg.age_up_to_8", NULL, "mica.reg.uses", 100 },
	{ "near loads", "% of loads",
	  "loads at most 64 bytes from the last load by the same instruction",
	  "mica.stride.reads_local_up_to_64", NULL, "mica.stride.reads", 100 },
	{ "data", "pages", "pages of 4 KiB that data touch", "mica.footprint.data_pages", NULL,
	  NULL, 1 },
	{ "code", "blocks", "blocks of 64 bytes that instructions touch",
	  "mica.footprint.instruction_blocks", NULL, NULL, 1 },
};

/* Returns the value, or NaN if the results do not have its parts. */
static double value_of(const struct axis *axis, const json_t *document)
{
	double divisor = axis->divisor ? (double)count_at(document, axis->divisor) : 1;
	double count = (double)count_at(document, axis->count);

	if (!result_at(document, axis->count) || divisor <= 0)
		return NAN;
	if (axis->other_count)
		count += (double)count_at(document, axis->other_count);
	return axis->factor * count / divisor;
}

static json_t *axis_of(const struct axis *axis, const json_t *document, const json_t *reference)
{
	json_t *values = json_object_get(json_object_get(reference, "values"), axis->name);
	double value = value_of(axis, document);
	json_t *entry = checked(json_object());

	json_member(entry, "name", json_word(axis->name));
	json_member(entry, "unit", json_word(axis->unit));
	json_member(entry, "definition", json_word(axis->definition));
	json_member(entry, "value", checked(isfinite(value) ? json_real(value) : json_null()));
	json_member(entry, "values", values ? json_incref(values) : checked(json_array()));
	return entry;
}

json_t *reference_of(const json_t *document)
{
	json_t *reference = checked(json_loads(report_reference, 0, NULL));
	json_t *result = checked(json_object()), *list = checked(json_array());

	json_member(result, "programs", json_incref(json_object_get(reference, "programs")));
	for (size_t i = 0; i < sizeof(axes) / sizeof(*axes); i++)
		json_element(list, axis_of(&axes[i], document, reference));
	json_member(result, "axes", list);
	json_decref(reference);
	return result;
}
