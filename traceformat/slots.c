/* SPDX-License-Identifier: MIT */
#include "slots.h"

#include <sys/mman.h>

/* States live in pages of their own: a reset gives large ones back to the kernel, so that what a
 * chunk does not touch costs neither time nor memory. */
enum { KEEP_BYTES = 1 << 20 };

static size_t bytes_of(size_t count) { return count * sizeof(struct slot_state); }

bool slot_states_extend(struct slot_states *s, size_t count)
{
	size_t capacity = count + count / 2 + 4096;
	void *pages;

	if (s->states && count <= s->count)
		return true;
	pages = s->states ? mremap(s->states, bytes_of(s->count), bytes_of(capacity), MREMAP_MAYMOVE)
			  : mmap(NULL, bytes_of(capacity), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return false;
	s->states = pages;
	s->count = capacity;
	return true;
}

bool slot_states_reset(struct slot_states *s, size_t count)
{
	if (s->states && bytes_of(s->count) > KEEP_BYTES)
		madvise(s->states, bytes_of(s->count), MADV_DONTNEED);
	else if (s->states)
		memset(s->states, 0, bytes_of(s->count));
	return slot_states_extend(s, count);
}

void slot_states_free(struct slot_states *s)
{
	if (s->states)
		munmap(s->states, bytes_of(s->count));
	*s = (struct slot_states){ 0 };
}
