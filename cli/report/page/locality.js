/* Locality advice of trace-slo: the changes that would shorten reuse distances. */

const LOCALITY_LEAD = 'Loops and calls that keep the reuses of data apart, and changes that would bring ' +
	'them together (K. Beyls and E. D’Hollander, SLO, 2009). Whether a change keeps the ' +
	'dependences of the program is for the reader to check.';

function advice_item(one) {
	return node('li', {}, node('p', { class: 'advice-text' }, one.advice),
		node('p', { class: 'why' }, percent(one.share_percent) + ' of the cycles lost; ' +
			count(one.reuses) + ' reuses at ' + short_count(one.mean_distance) +
			' blocks on the mean'));
}

function locality_section(report) {
	const found = result(report, 'slo');

	return section('locality', 'Locality advice', LOCALITY_LEAD, contents('Locality advice', found,
		(slo) => has_rows(slo.refactorings), 'No loop or call keeps enough reuses apart.',
		'trace-slo --min-distance=64 TRACE', ({ data }) => node('div', { class: 'card' },
			node('ol', { class: 'refactorings' }, data.refactorings.map(advice_item)),
			found.command && node('p', { class: 'command' }, node('code', {},
				found.command)))));
}
