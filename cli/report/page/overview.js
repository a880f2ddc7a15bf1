/* The first screen: what the program did, four pictures, and what is most worth doing. */

function title_of(report) {
	const trace = report.traces[0] || {};
	const title = trace.command || trace.file || 'Report';

	return node('div', { class: 'title' },
		node('h1', { title }, title),
		node('p', { class: 'summary', title: report.summary }, brief_text(report.summary || '')),
		report.traces.some((one) => one.complete === false) &&
			node('p', { class: 'warning' }, 'The trace is not complete.'));
}

function overview(report) {
	const trace = report.traces[0] || {};

	return node('div', { id: 'top', class: 'overview' }, title_of(report),
		node('div', { class: 'pictures' },
			functions_figure(report, { class: 'half' }),
			phases_figure(report, { class: 'half', controls: undefined }),
			curve_figure(report, { class: 'half' }),
			mix_figure(report, { class: 'half' })),
		node('aside', { class: 'card beside' }, advice_part(report), recorded_part(trace)));
}

function advice_part(report) {
	const advice = report.advice.map((one) =>
		typeof one === 'string' ? { text: one } : one);

	return node('div', { class: 'advice' },
		node('h2', { id: 'advice-title' }, 'Most worth doing'),
		has_rows(advice) ? node('ol', {}, advice.slice(0, 3).map((one) => node('li', {},
			node('p', { class: 'advice-text', title: one.text }, brief_text(one.text)),
			one.why && node('p', { class: 'why', title: one.why }, advice_share(one), one.why),
			one.command && node('p', { class: 'command' }, node('code', {}, one.command))))) :
			node('p', {}, report.left_out.length ? 'Nothing stands out in the parts that were computed.' :
				'Nothing stands out.'));
}

/* Returns how much of the execution a piece of advice is about. */
function advice_share(one) {
	return is_number(one.share_percent) && node('b', {}, percent(one.share_percent) +
		(one.exactness === 'exact' ? ' of the instructions. ' : ' of the cycles. '));
}

function recorded_part(trace) {
	return node('div', { class: 'key-facts' }, node('h2', {}, 'Recorded'), facts([
		['Instructions', short_count(executed(trace))],
		['Warm-up', trace.warmup && short_count(trace.warmup)],
		['Loads', has_accesses(trace) && short_count(trace.loads)],
		['Stores', has_accesses(trace) && short_count(trace.stores)],
		['Trace', size(trace.bytes)]]));
}
