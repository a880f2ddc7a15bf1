/* Misses of the caches of a named machine. */

const CACHE_DEFINITION = 'Lookups of a cache level that miss, as shares of its lookups, in a model of ' +
	'the caches of the named machine.';

/* Returns the levels, with the ratio of misses. */
function cache_levels(cache) {
	return (cache.levels || cache.caches || []).map((row) => {
		const lookups = row.lookups || row.accesses || row.touches;

		return { ...row, name: row.level || row.cache || row.name, lookups,
			ratio: is_number(row.miss_ratio_percent) ? row.miss_ratio_percent :
				100 * row.misses / lookups };
	}).filter((row) => is_number(row.misses));
}

function machine_name(cache) {
	return cache.machine || cache_levels(cache)[0].caches || 'the machine';
}

function cache_figure(report) {
	const found = result(report, 'cache');

	return contents('Misses of a machine', found, (cache) => has_rows(cache_levels(cache)),
		'The report has no caches of a machine.', 'trace-cache --machine=zen4 TRACE',
		({ data }) => {
			const levels = cache_levels(data);

			return figure({
				title: 'Misses of ' + machine_name(data),
				definition: CACHE_DEFINITION,
				command: found.command,
				exactness: found.exactness || 'modelled',
				draw: (plot) => draw_bars(plot, 'Misses: ' + levels.map((row) => row.name +
					' ' + percent(row.ratio)).join(', '), {
					names: levels.map((row) => row.name),
					values: levels.map((row) => row.ratio),
					format: percent,
					tip: (i) => count(levels[i].misses) + ' of ' +
						count(levels[i].lookups) + ' lookups',
				}),
				table: () => table('Misses by cache', [
					{ key: 'name', title: 'Cache' },
					{ key: 'lookups', title: 'Lookups', format: count },
					{ key: 'misses', title: 'Misses', format: count },
					{ key: 'ratio', title: 'Miss ratio', format: percent },
				], levels),
			});
		});
}

function cache_section(report) {
	return section('cache', 'Caches of a machine', null, cache_figure(report));
}
