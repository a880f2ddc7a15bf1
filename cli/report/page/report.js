/*
 * The report: a document with a result for each analyzer, and for each result its command, how exact
 * the numbers are, and, if there is no result, the reason.
 */

/* Returns the document with all of its parts. */
function complete(report) {
	const parts = {};

	for (const part of ['results', 'commands', 'exactness', 'failed', 'unsuitable', 'notes'])
		parts[part] = report[part] || {};
	return { ...report, ...parts, traces: report.traces || [], advice: report.advice || [],
		suite: report.suite && prepared_suite(report.suite) };
}

/*
 * Returns what is known about a result: its numbers, its command, and how exact they are. Some results
 * are among MICA's characteristics.
 */
function result(report, name) {
	const exactness = report.exactness[name] || {};

	return {
		data: report.results[name] || (report.results.mica || {})[name],
		command: report.commands[name],
		exactness: typeof exactness === 'string' ? exactness : exactness.kind,
		reason: report.failed[name] || report.unsuitable[name],
		notes: report.notes[name] || [],
	};
}
