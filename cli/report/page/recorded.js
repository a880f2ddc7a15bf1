/* What was recorded, where, and how. */

function recorded_section(report) {
	return section('recorded', 'What was recorded', null,
		...report.traces.map((trace) => node('div', { class: 'card' },
			facts(recorded_facts(trace)))));
}

/* Returns the executed instructions: the recorded ones, or those that basic block vectors count. */
function executed(trace) {
	return trace.instructions || trace.vector_instructions || trace.instructions;
}

function has_accesses(trace) {
	return trace.addresses !== false && (trace.instructions > 0 || !trace.vector_instructions);
}

function recorded_facts(trace) {
	const code = (text) => text && node('code', {}, text);

	return [
		['Command', code(trace.command)],
		['Program', code(trace.program)],
		['Build-id of the program', code(trace.program_build_id)],
		['Trace', code(trace.file)],
		['Instructions', count(executed(trace))],
		['Warm-up among them', trace.warmup && count(trace.warmup)],
		['Loads', has_accesses(trace) && count(trace.loads)],
		['Stores', has_accesses(trace) && count(trace.stores)],
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
