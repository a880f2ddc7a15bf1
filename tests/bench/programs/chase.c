/* SPDX-License-Identifier: MIT */
/*
 * chase NODES TURNS: follows pointers through NODES cache lines, TURNS times round, in an order
 * that looks random. Each iteration has one load, whose address is unpredictable.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *next;
	uint64_t value;
	char rest[48];
};

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 0) : 1 << 20;
	unsigned long turns = argc > 2 ? strtoul(argv[2], NULL, 0) : 4;
	struct node *nodes = calloc(n, sizeof(*nodes));
	uint64_t seed = 1, sum = 0;

	if (!nodes || !n)
		return 1;
	for (size_t i = 0; i < n; i++) {
		nodes[i].next = &nodes[i];
		nodes[i].value = i;
	}
	/* Sattolo's algorithm makes a single cycle through all nodes. */
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = random_next(&seed) % i;
		struct node *next = nodes[i].next;

		nodes[i].next = nodes[j].next;
		nodes[j].next = next;
	}
	const struct node *node = nodes;

	for (uint64_t i = 0; i < n * turns; i++) {
		sum += node->value ^ i;
		node = node->next;
	}
	printf("%lu\n", (unsigned long)sum);
	return 0;
}
