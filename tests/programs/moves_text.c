/* SPDX-License-Identifier: MIT */
/*
 * Moves a part of its own code to anonymous memory at the same place, in each of the ways that
 * programs use for larger pages, and calls the code there: mapped over and copied; moved over by
 * mremap; unmapped first. Then puts other code there.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

__attribute__((aligned(PAGE), noinline, section(".moved"))) unsigned moved_code(unsigned n)
{
	unsigned sum = 1;

	for (unsigned i = 0; i < n; i++) {
		sum = sum * 3 + i;
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}

__attribute__((aligned(PAGE), used, section(".moved"))) void behind(void) { }

static void *place(void)
{
	return (void *)(uintptr_t)moved_code;
}

static void *copy(uint8_t *bytes)
{
	void *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(memory, bytes, PAGE);
	return memory;
}

int main(void)
{
	static const uint8_t returns_77[] = { 0xb8, 77, 0, 0, 0, 0xc3 };
	uint8_t bytes[PAGE];
	unsigned sum = moved_code(1000);

	memcpy(bytes, place(), PAGE);
	mmap(place(), PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	memcpy(place(), bytes, PAGE);
	mprotect(place(), PAGE, PROT_READ | PROT_EXEC);
	sum += moved_code(1000);
	mprotect(mremap(copy(bytes), PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place()), PAGE,
		 PROT_READ | PROT_EXEC);
	sum += moved_code(1000);
	munmap(place(), PAGE);
	mmap(place(), PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
	     -1, 0);
	memcpy(place(), bytes, PAGE);
	mprotect(place(), PAGE, PROT_READ | PROT_EXEC);
	sum += moved_code(1000);
	printf("%u\n", sum);
	mprotect(place(), PAGE, PROT_READ | PROT_WRITE);
	memcpy(place(), returns_77, sizeof(returns_77));
	mprotect(place(), PAGE, PROT_READ | PROT_EXEC);
	printf("%u\n", moved_code(1000));
	return 0;
}
