/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/extended_state.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "recorder/core/output.h"
#include "recorder/core/region.h"

/* ---- vector, mask and MMX registers ---- */

/* State components (Intel SDM 1, 13.1) and where the fixed ones lie (13.4). */
enum {
	COMPONENT_YMM = 2,   /* upper halves of ymm0 .. ymm15 */
	COMPONENT_MASK = 5,  /* k0 .. k7 */
	COMPONENT_ZMM = 6,   /* upper halves of zmm0 .. zmm15 */
	COMPONENT_ZMM16 = 7, /* zmm16 .. zmm31 */
	COMPONENT_KEYS = 9,  /* pkru */
	COMPONENT_TILE_CONFIG = 17,
	STATUS_WORD_OFFSET = 2,
	ST_OFFSET = 32,
	XMM_OFFSET = 160,
	XSTATE_BV_OFFSET = 512,
	XSAVE_BYTES = 16 << 10, /* more than any state there is, AMX included */
	CPUID_XSAVE = 0xd,
};

struct image {
	const uint8_t *bytes;
	size_t size;
	uint64_t present; /* components that are not in their initial state, all zero */
};

void vectors_begin(struct vector_layout *layout)
{
	unsigned eax, ebx, ecx, edx;

	*layout = (struct vector_layout){ 0 };
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
		return;
	__asm__("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
	layout->xcr0 = (uint64_t)edx << 32 | eax;
	for (unsigned i = COMPONENT_YMM; i < VECTOR_COMPONENTS; i++)
		if (layout->xcr0 >> i & 1)
			__get_cpuid_count(CPUID_XSAVE, i, &layout->size[i], &layout->offset[i],
					  &ecx, &edx);
}

/* Copies n registers of size bytes from a component to where they are in isa_registers. */
static void take(const struct vector_layout *layout, const struct image *image, unsigned component,
		 uint8_t *to, size_t stride, size_t size, unsigned n)
{
	size_t offset = layout->offset[component];

	if (!(image->present >> component & 1) || layout->size[component] < n * size ||
	    offset + n * size > image->size)
		return;
	for (unsigned i = 0; i < n; i++)
		memcpy(to + i * stride, image->bytes + offset + i * size, size);
}

/* mm0 .. mm7 are the x87 registers by number; the image has them from the top of their stack on. */
static void take_mmx(const struct image *image, uint64_t mmx[8])
{
	unsigned top = image->bytes[STATUS_WORD_OFFSET + 1] >> 3 & 7;

	for (unsigned i = 0; i < 8; i++)
		memcpy(&mmx[i], image->bytes + ST_OFFSET + 16 * ((i - top) & 7), sizeof(*mmx));
}

/* Returns false if the area is too short to have a header. */
static bool open_image(struct image *image, const uint8_t *bytes, size_t size)
{
	*image = (struct image){ .bytes = bytes, .size = size };
	if (size < XSTATE_BV_OFFSET + sizeof(image->present))
		return false;
	memcpy(&image->present, bytes + XSTATE_BV_OFFSET, sizeof(image->present));
	return true;
}

/* Returns the size of the task's area in bytes[XSAVE_BYTES], 0 if it cannot be read. */
static size_t read_area(const struct task *t, uint8_t *bytes)
{
	struct iovec v = { bytes, XSAVE_BYTES };

	return ptrace(PTRACE_GETREGSET, t->tid, (void *)NT_X86_XSTATE, &v) < 0 ? 0 : v.iov_len;
}

bool vectors_deny_key_0(const struct task *t)
{
	enum { DENY_ACCESS = 1, DENY_WRITE = 2 };
	unsigned size = 0, offset = 0, ecx, edx, keys = 0;
	uint8_t bytes[XSAVE_BYTES];
	struct image image;

	if (!__get_cpuid_count(CPUID_XSAVE, COMPONENT_KEYS, &size, &offset, &ecx, &edx) ||
	    size < sizeof(keys) || !open_image(&image, bytes, read_area(t, bytes)) ||
	    !(image.present >> COMPONENT_KEYS & 1) || offset + sizeof(keys) > image.size)
		return false;
	memcpy(&keys, image.bytes + offset, sizeof(keys));
	return keys & (DENY_ACCESS | DENY_WRITE);
}

void vectors_unpack(const struct vector_layout *l, const uint8_t *bytes, size_t size,
		    struct isa_registers *r)
{
	struct image image;

	memset(r->mask, 0, sizeof(r->mask));
	memset(r->mmx, 0, sizeof(r->mmx));
	memset(r->vector, 0, sizeof(r->vector));
	memset(r->tile_config, 0, sizeof(r->tile_config));
	r->xcr0 = l->xcr0;
	if (!open_image(&image, bytes, size))
		return;
	take_mmx(&image, r->mmx);
	for (unsigned i = 0; i < 16; i++)
		memcpy(r->vector[i], image.bytes + XMM_OFFSET + 16 * i, 16);
	take(l, &image, COMPONENT_YMM, r->vector[0] + 16, sizeof(r->vector[0]), 16, 16);
	take(l, &image, COMPONENT_ZMM, r->vector[0] + 32, sizeof(r->vector[0]), 32, 16);
	take(l, &image, COMPONENT_ZMM16, r->vector[16], sizeof(r->vector[0]), 64, 16);
	take(l, &image, COMPONENT_MASK, (uint8_t *)r->mask, sizeof(r->mask[0]), 8, 8);
	take(l, &image, COMPONENT_TILE_CONFIG, r->tile_config, sizeof(r->tile_config),
	     sizeof(r->tile_config), 1);
}

void vectors_read(const struct task *t, struct isa_registers *r)
{
	uint8_t bytes[XSAVE_BYTES];

	vectors_unpack(&t->session->processor.vectors, bytes, read_area(t, bytes), r);
}

/* ---- control words ---- */

static int write_one(struct task *t, enum tf_control_word which, uint32_t value)
{
	struct tf_event event = { .kind = TF_EVENT_CONTROL_WORD };

	event.control_word.which = which;
	event.control_word.value = value;
	return output_event(t->session->output, t, &event);
}

int control_words_write(struct task *t, unsigned which, uint16_t x87, uint32_t mxcsr)
{
	if (!region_recording(t->session))
		return 0;
	if (which & ISA_X87_CONTROL && write_one(t, TF_X87_CONTROL_WORD, x87) < 0)
		return -1;
	return which & ISA_MXCSR ? write_one(t, TF_MXCSR, mxcsr) : 0;
}

int control_words_record(struct task *t, unsigned which)
{
	struct user_fpregs_struct fp;

	if (!which)
		return 0;
	if (ptrace(PTRACE_GETFPREGS, t->tid, NULL, &fp) < 0)
		return errno == ESRCH ? 0 /* killed */
				      : session_fail(t->session, TF_E_IO,
						     "cannot read the control words of thread %d "
						     "at pc %#llx: %s",
						     (int)t->tid, t->regs.rip, strerror(errno));
	return control_words_write(t, which, fp.cwd, fp.mxcsr);
}

int control_words_catch_up(struct task *t)
{
	t->trace.lacks_words = false;
	return control_words_record(t, ISA_X87_CONTROL | ISA_MXCSR);
}
