/* Locality advice of trace-slo: the changes that would shorten reuse distances. */

const LOCALITY_LEAD = 'Loops and calls that keep the reuses of data apart, and changes that would bring ' +
	'them together (K. Beyls and E. D’Hollander, 2009). Whether a change keeps the ' +
	'dependences of the program is for the reader to check.';

/* The refactoring whose marks are shown, by rank; 0: none. Others listen to changes of it. */
class Selection {
	constructor() {
		this.rank = 0;
		this.listeners = [];
	}

	listen(listener) {
		this.listeners.push(listener);
	}

	choose(rank) {
		this.rank = rank === this.rank ? 0 : rank;
		for (const listener of this.listeners)
			listener(this.rank);
	}
}

function site_link(text, site) {
	return site ? node('a', { href: '#f' + site[0] + '-' + site[1] }, text) : text;
}

function references_table(one) {
	return node('table', {}, node('thead', {}, node('tr', {},
		['Use', 'Reuse', 'Reuses', 'Share', 'Mean distance'].map((title, i) =>
			node('th', { scope: 'col', class: i > 1 ? 'number' : 'name' }, title)))),
	node('tbody', {}, one.references.map((row) => node('tr', {},
		node('td', { class: 'name' }, site_link(row.use, row.use_site)),
		node('td', { class: 'name' }, site_link(row.reuse, row.reuse_site)),
		[count(row.reuses), percent(100 * row.reuses / one.reuses),
			three_digits(row.mean_distance)].map((text) =>
			node('td', { class: 'number' }, text))))));
}

function refactoring_details(one) {
	return [
		facts([['Where', one.where], ['First', one.first], ['Second', one.second],
			['Reuses', count(one.reuses)],
			['Mean distance', three_digits(one.mean_distance) + ' blocks'],
			['Other part of the block (spatial)', percent(one.spatial_percent)],
			['Lost cycles', count(one.lost_cycles)]]),
		has_rows(one.references) && references_table(one),
		has_rows(one.data) && facts(one.data.map((row) => [row.data,
			percent(100 * row.reuses / one.reuses) + ' of the reuses'])),
	].filter(Boolean);
}

function refactoring_item(one, selection) {
	const details = node('div', { class: 'refactoring-details', hidden: true });
	const summary = button(brief_text(capital(one.advice)), () => selection.choose(one.rank),
		{ class: 'refactoring-title', title: one.advice, 'aria-expanded': 'false' });
	const item = node('li', { id: 'r' + one.rank }, node('span', { class: 'rank' }, String(one.rank)),
		node('div', {}, summary, node('p', { class: 'why' },
			one.kind + ': ' + percent(one.share_percent) + ' of the cycles lost'), details));

	item.dataset.series = Math.min(one.rank, SERIES);
	selection.listen((rank) => {
		const chosen = rank === one.rank;

		if (chosen && !details.hasChildNodes())
			details.append(...refactoring_details(one));
		details.hidden = !chosen;
		summary.setAttribute('aria-expanded', String(chosen));
		item.classList.toggle('chosen', chosen);
	});
	return item;
}

function locality_facts(slo) {
	return facts([
		['Reuses at ' + count(slo.min_distance) + ' blocks and more', count(slo.reuses)],
		['Lost cycles', count(slo.lost_cycles)],
		['Refactorings found', count(slo.refactorings_found)],
		['Touches of blocks', count(slo.touches)],
		...(slo.caches || []).map((cache) => ['Misses of ' + size(cache.cache_size_bytes) +
			', ' + count(cache.miss_cycles) + ' cycles each', count(cache.misses)])]);
}

function locality_parts(found) {
	const slo = found.data, selection = new Selection();

	return node('div', { class: 'stack' },
		node('div', { class: 'card' }, locality_facts(slo)),
		has_rows(slo.bins) && reuses_figure(found, selection),
		node('div', { class: 'card' }, node('h3', {}, 'Refactorings'),
			node('ol', { class: 'refactorings' },
				slo.refactorings.map((one) => refactoring_item(one, selection))),
			found.command && node('p', { class: 'command' }, node('code', {}, found.command))),
		(slo.files || []).map((file) => source_card(file, slo, selection)),
		has_rows(slo.absent_files) && node('div', { class: 'card' },
			node('h3', {}, 'Files that are not shown'), facts(slo.absent_files.map((file) =>
				[file.path, file.why]))));
}

function locality_section(report) {
	return section('locality', 'Locality advice', LOCALITY_LEAD, contents('Locality advice',
		result(report, 'slo'), (slo) => has_rows(slo.refactorings),
		'No loop or call keeps enough reuses apart.', 'trace-slo --min-distance=64 TRACE',
		locality_parts));
}
