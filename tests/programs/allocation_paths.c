/* SPDX-License-Identifier: MIT */
/*
 * Allocates 1000 bytes in 10 objects, 5 of which it keeps; 5 objects of 1000 bytes, one after the
 * other; an object that grows to 4096 bytes; 21 bytes, which it keeps. The heap is largest with the
 * first 10 objects and the object of 4096 bytes.
 */
#include <stdlib.h>
#define NOINLINE __attribute__((noipa))
static void *kept[16]; static void *volatile sink;
NOINLINE void keeps(void) { for (int i = 0; i < 10; i++) kept[i] = malloc(100); }
NOINLINE void drops(void) { for (int i = 0; i < 5; i++) { sink = malloc(1000); free(sink); } }
NOINLINE void grows(void) { char *p = 0; for (int i = 1; i <= 8; i++) p = realloc(p, i * 512); sink = p; free(p); }
NOINLINE void clears(void) { for (int i = 5; i < 10; i++) free(kept[i]); sink = calloc(3, 7); }
int main(void) { keeps(); drops(); grows(); clears(); return 0; }
