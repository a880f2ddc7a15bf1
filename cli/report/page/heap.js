/* The heap: live bytes over time, and the call paths that allocate them. */

const HEAP_DEFINITION = 'Bytes of live objects of malloc and its relatives, by the sizes that the ' +
	'program asked for, after each number of executed instructions.';

function describe_heap(rows) {
	return {
		type: 'line',
		data: { datasets: [{ label: 'live bytes', stepped: true, fill: 'origin',
			borderColor: series_colour(0), backgroundColor: with_alpha(series_colour(0), 0.15),
			data: rows.map((row) => ({ x: row.instructions, y: row.bytes })) }] },
		options: {
			interaction: { mode: 'nearest', axis: 'x' },
			scales: { x: { ...without_grid(axis('instructions', short_count)), type: 'linear',
				min: 0 },
			y: size_axis('live bytes', Math.max(...rows.map((row) => row.bytes))) },
			plugins: { legend: { display: false }, tooltip: { callbacks: {
				title: ([item]) => item ? 'after ' + short_count(item.parsed.x) +
					' instructions' : '',
				label: (item) => size(item.parsed.y) + ' in ' +
					count(rows[item.dataIndex].objects) + ' objects',
			} } },
		},
	};
}

function heap_figure(report) {
	const found = result(report, 'heap'), rows = found.data.over_time;

	return figure({
		title: 'Heap over time',
		definition: HEAP_DEFINITION,
		command: found.command,
		exactness: found.exactness,
		draw: (plot) => draw_chart(plot, 'Live bytes over time; at the peak ' +
			size(found.data.bytes_at_peak) + '.', () => describe_heap(rows)),
		table: () => table('Heap over time', [
			{ key: 'instructions', title: 'Instructions', format: count },
			{ key: 'bytes', title: 'Live bytes', format: count },
			{ key: 'objects', title: 'Live objects', format: count },
		], rows),
	});
}

function allocation_rows(rows) {
	return rows.map((row) => ({ ...row,
		name: (row.call_path || '').split(';').reverse().map(brief_text).join(' ← ') }));
}

function paths_table(heap) {
	return table('Call paths that allocate', [
		{ key: 'name', title: 'Allocated by' },
		{ key: 'bytes_at_peak', title: 'Bytes at the peak', format: count },
		{ key: 'bytes_allocated', title: 'Bytes allocated', format: count },
		{ key: 'allocations', title: 'Allocations', format: count },
	], allocation_rows(heap.allocation_paths));
}

function accesses_table(heap) {
	return table('Accesses of objects by the call paths that allocate them', [
		{ key: 'name', title: 'Allocated by' },
		{ key: 'bytes_never_read', title: 'Bytes never read', format: count },
		{ key: 'bytes_allocated', title: 'Bytes allocated', format: count },
		{ key: 'reads', title: 'Reads', format: count },
		{ key: 'writes', title: 'Writes', format: count },
	], allocation_rows(heap.object_accesses));
}

function heap_section(report) {
	const found = result(report, 'heap');

	return section('heap', 'Heap', null, contents('Heap over time', found, (heap) => heap.allocations > 0,
		'Not recorded: the program called no allocation function that the trace has.',
		'trace-record (without --no-functions) -- PROGRAM; trace-calls --heap TRACE',
		({ data }) => node('div', { class: 'stack' }, node('div', { class: 'columns' },
			has_rows(data.over_time) && heap_figure(report),
			node('div', { class: 'card' }, node('h3', {}, 'Allocations'), facts([
				['Bytes at the peak', size(data.bytes_at_peak)],
				['Objects at the peak', count(data.objects_at_peak)],
				['Bytes allocated', size(data.bytes_allocated)],
				['Allocations', count(data.allocations)],
				['Bytes never freed', size(data.bytes_at_end)],
				['Objects never freed', count(data.objects_at_end)],
				...(data.object_accesses ? [['Bytes never read', size(data.bytes_never_read)]] : [])]))),
		has_rows(data.allocation_paths) && node('div', { class: 'card' },
			node('h3', {}, 'Call paths that allocate'), paths_table(data)),
		has_rows(data.object_accesses) && node('div', { class: 'card' },
			node('h3', {}, 'Accesses of the objects'), accesses_table(data)))));
}
