/* SPDX-License-Identifier: MIT */
/* sort N: sorts N numbers by quicksort, with unpredictable branches and recursion. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void sort(uint32_t *a, size_t n)
{
	while (n > 1) {
		uint32_t pivot = a[(n - 1) / 2];
		size_t i = 0, j = n - 1;

		for (;; i++, j--) {
			while (a[i] < pivot)
				i++;
			while (a[j] > pivot)
				j--;
			if (i >= j)
				break;
			uint32_t swapped = a[i];

			a[i] = a[j];
			a[j] = swapped;
		}
		/* Only the smaller part is sorted by recursion, which is therefore never deep. */
		size_t left = j + 1, right = n - left;

		if (left < right) {
			sort(a, left);
			a += left;
			n = right;
		} else {
			sort(a + left, right);
			n = left;
		}
	}
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 0) : 1 << 20;
	uint32_t *a = malloc(n * sizeof(*a)), state = 12345;
	uint64_t sum = 0;

	if (!a)
		return 1;
	for (size_t i = 0; i < n; i++) {
		state = state * 1664525 + 1013904223;
		a[i] = state;
	}
	sort(a, n);
	for (size_t i = 0; i < n; i++) {
		if (i && a[i - 1] > a[i])
			return 1;
		sum += a[i] * (uint64_t)i;
	}
	printf("%lu\n", (unsigned long)sum);
	return 0;
}
