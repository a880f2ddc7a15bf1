/* SPDX-License-Identifier: MIT */
/* flags: -O0 */
/* A program without loops. */
static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void)
{
	return fibonacci(22) != 17711;
}
