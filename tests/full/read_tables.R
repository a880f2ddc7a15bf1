# SPDX-License-Identifier: MIT
# read_tables.R LIST OUTPUT: reads the CSV files whose names LIST has, without options of read.csv. Writes a line for
# each: name, rows, columns, and the sum of each column of numbers.
arguments <- commandArgs(trailingOnly = TRUE)
lines <- character()
for (name in readLines(arguments[1])) {
    table <- read.csv(name)
    stopifnot(!anyDuplicated(names(table)))
    numeric <- Filter(function(column) is.numeric(column) || all(is.na(column)), table)
    totals <- if (nrow(table)) vapply(numeric, function(column) sum(as.numeric(column), na.rm = TRUE), 0) else numeric(0)
    lines <- c(lines, paste(c(name, nrow(table), ncol(table), format(totals, digits = 15, scientific = TRUE, trim = TRUE)),
                            collapse = "\t"))
}
writeLines(lines, arguments[2])
