# SPDX-License-Identifier: MIT
# Counts the lines of trace-dump --format=csv, under the names of trace-info's totals.
#
# usage: awk -f count.awk DUMP.csv

/^event,/ {
	events++
	threads += /^event,[0-9]+,[0-9]+,,,"?thread-start /
	processes += /^event,[0-9]+,[0-9]+,,,"?process-start /
	next
}

/^insn,/ {
	instructions++
	opaque += /,\(opaque\)/
	operands = split($0, operand, "[")
	for (i = 2; i <= operands; i++) {
		split(operand[i], word, " ")
		count = word[3] ~ /^x[0-9]/ ? substr(word[3], 2) + 0 : 1
		loads += count * (word[1] ~ /load/)
		stores += count * (word[1] ~ /store/)
		prefetches += count * (word[1] ~ /prefetch/)
	}
}

END {
	# mawk limits %d to 2^31 - 1.
	format = "events %.0f\ninstructions %.0f\nloads %.0f\nopaque %.0f\nprefetches %.0f\nprocesses %.0f\nstores %.0f\nthreads %.0f\n"
	if (!instructions)
		print "no instruction is listed"
	printf format, events, instructions, loads, opaque, prefetches, processes, stores, threads
}
