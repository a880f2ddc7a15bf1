/* Threads, with the programs that they execute. */

/* Returns the command of a process: of its last exec, or else of its parent. */
function process_command(trace, process) {
	const processes = trace.process_list || [];
	const own = processes.find((one) => String(one.process) === String(process));
	const executed = own && (trace.then_executed || []).filter((row) => row.pid === own.pid).pop();

	if (executed)
		return executed.command;
	/* A parent has a lower number, so the search ends. */
	return own && own.parent !== null && Number(own.parent) < own.process ?
		process_command(trace, own.parent) : trace.command;
}

function thread_row(trace, thread) {
	return (trace.thread_list || []).find((row) => row.thread === thread);
}

/* Returns the command of a thread's process. */
function thread_command(trace, thread) {
	const row = thread_row(trace, thread);

	return row && process_command(trace, row.process);
}

/* Returns "thread 4", and the program if the trace has several processes: "thread 4 (cc1)". */
function thread_name(trace, thread) {
	const command = trace.processes > 1 && thread_command(trace, thread);

	return 'thread ' + thread + (command ? ' (' + base_name(command.split(' ')[0]) + ')' : '');
}

/* Returns the choices among threads that have call paths, each with its instructions. */
function thread_choices(trace, threads) {
	return threads.map(({ thread }) => {
		const row = thread_row(trace, thread);

		return [thread, capital(thread_name(trace, thread)) +
			(row ? ': ' + short_count(row.instructions) + ' instructions' : '')];
	});
}
