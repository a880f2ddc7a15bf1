/* SPDX-License-Identifier: MIT */
/* Memory that ends at a border: reads beyond the border fault. */
#ifndef BORDER_H
#define BORDER_H

#include <check.h>
#include <stdint.h>
#include <sys/mman.h>

/* Maps two pages, of which the second is inaccessible. Returns the border. */
static inline uint8_t *map_border(void)
{
	uint8_t *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);

	ck_assert_ptr_ne(pages, MAP_FAILED);
	ck_assert_int_eq(mprotect(pages + 4096, 4096, PROT_NONE), 0);
	return pages + 4096;
}

#endif
