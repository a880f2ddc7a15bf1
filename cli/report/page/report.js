/*
 * The report: a document with a result for each analyzer, and for each result its command, how exact
 * the numbers are, and, if there is no result, the reason.
 */

const LEFT_OUT = 'Not computed: --only or --without left this part out.';

/* Returns the document with all of its parts. */
function complete(report) {
	const parts = {};

	for (const part of ['results', 'commands', 'exactness', 'failed', 'unsuitable', 'notes'])
		parts[part] = report[part] || {};
	return { ...report, ...parts, traces: report.traces || [], advice: report.advice || [],
		left_out: report.left_out || [],
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
		reason: report.failed[name] || report.unsuitable[name] ||
			(report.left_out.includes(name) ? LEFT_OUT : undefined),
	};
}

/* Returns the message of an analyzer about a result that it has nevertheless, as a sentence, or ''. */
function warning_of(report, name) {
	const message = report.notes[name];

	return message ? capital(message) + '.' : '';
}
