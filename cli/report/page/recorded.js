/* What was recorded, where, and how. */

function recorded_section(report) {
	return section('recorded', 'What was recorded', null,
		...report.traces.map((trace) => node('div', { class: 'card' },
			facts(recorded_facts(trace)))));
}

function recorded_facts(trace) {
	const code = (text) => text && node('code', {}, text);

	return [
		['Command', code(trace.command)],
		['Program', code(trace.program)],
		['Build-id of the program', code(trace.program_build_id)],
		['Trace', code(trace.file)],
		['Instructions', count(trace.instructions)],
		['Warm-up among them', trace.warmup && count(trace.warmup)],
		['Loads', trace.addresses === false ? null : count(trace.loads)],
		['Stores', trace.addresses === false ? null : count(trace.stores)],
		['Processes', count(trace.processes)],
		['Threads', count(trace.threads)],
		['Order of threads', trace.thread_order],
		['Data addresses', trace.addresses === undefined ? null : yes_no(trace.addresses)],
		['Complete', trace.complete === undefined ? null : yes_no(trace.complete)],
		['Ended by', trace.stop_reason && trace.stop_reason +
			(is_number(trace.exit_status) ? ', status ' + trace.exit_status : '')],
		['Recorded at', trace.created && trace.created.replace('T', ' ').replace('Z', ' UTC')],
		['Processor', trace.host_cpu],
		['System', trace.host_kernel],
		['Recorder', trace.recorder && 'trace-record ' + trace.recorder +
			(trace.recorder_backend ? ', backend ' + trace.recorder_backend : '')],
		['Options of the recorder', code(trace.recorder_options)],
		['Size of the trace', size(trace.bytes) + (is_number(trace.bytes_per_instruction) ?
			', ' + three_digits(trace.bytes_per_instruction) +
			' bytes per instruction' : '')],
	];
}

function yes_no(value) {
	return value ? 'yes' : 'no';
}
