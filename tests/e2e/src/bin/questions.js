// Asks the open trace what panels ask, and notes how long each answer takes: from the page to the worker and back. Each
// question comes five times, about another span each time, so that nothing is answered from what is remembered.
const { summary } = seen;
const ask = (request) => seen.ask(written(request));
const RUNS = 5;
// What takes longer is asked once.
const LONG_MS = 2000;
const PIXELS = 1200n;
// A text that no event contains and that no number can be: every payload that may hold text is looked at.
const NOWHERE = '"no such words"';
// An expression that numbers can match and that requires no text: every number and text of every payload is looked at.
const EVERYWHERE = "/[0-9]{9}[^0-9x]/";
const figures = {};

const nothing = { processes: [], threads: [], providers: [], types: [], query: "", labels: [], frames: [], level: null };
const filter = (span, more) => ({ span, ...nothing, ...more });
const shape = {
  roots: "None", stitched: false, awaits: false, unresolved: false, just_my_code: false, without_polls: false, without_callees: false, shown: [], framework: [], patterns: { groups: "", folds: "" },
  grouping: "Functions", without_recursion: false, transforms: [], inverted: false,
};
const query = (span) => ({ filter: filter(span), source: "Samples", samples: "All", weight: "Time", shape, baseline: null });
const byTime = { key: "Time", descending: false };
const events = (span, more, order = byTime) => ({ Events: { filter: filter(span, more), order, first: 0n, count: 256 } });
const flame = (span) => ({ Flame: { query: query(span), path: [], min_share: 1 / 1200, max_depth: 256 } });
const column = ({ result, body }, name, Type) => {
  const { offset_bytes, length_bytes } = result.Ok.Table.directory.find((one) => one.name === name);
  return [...new Type(body, offset_bytes, length_bytes / Type.BYTES_PER_ELEMENT)];
};
const texts = (table, name) => {
  const bytes = new Uint8Array(column(table, `${name}.utf8`, Uint8Array));
  let start = 0;
  return column(table, name, Uint32Array).map((end) => new TextDecoder().decode(bytes.slice(start, (start = end))));
};
const time = async (name, span, request) => {
  const times = [];
  for (let run = 0n; run < RUNS; run++) {
    const answer = await ask(request({ start: span.start - run, end: span.end }));
    if (answer.result.Err) throw new Error(`${name}: ${answer.result.Err.message}`);
    times.push(answer.ms);
    if (answer.ms > LONG_MS) break;
  }
  figures[name] = times.sort((a, b) => a - b)[times.length >> 1];
};

const full = { start: BigInt(summary.full_span.start), end: BigInt(summary.full_span.end) };
const quarter = (full.end - full.start) / 4n;
const half = { start: full.start + quarter, end: full.end - quarter };
const table = await ask({ Threads: { filter: filter(null) } });
const threads = column(table, "thread", Uint32Array);
const counts = column(table, "events", BigUint64Array);
const busiest = threads[counts.indexOf(counts.reduce((most, count) => (count > most ? count : most), 0n))];
const providers = summary.providers.slice(0, 1).map(({ name }) => name);
const middle = Number(summary.events) >> 1;
const resolution = 1n << BigInt(((full.end - full.start) / PIXELS || 1n).toString(2).length);
const lanes = (span, max_depth) => ({ Lanes: { threads: threads.slice(0, 64), span, resolution, max_depth, spans: true } });

await time("filter_provider_ms", full, (span) => events(span, { providers }));
await time("filter_thread_ms", full, (span) => events(span, { threads: [busiest] }));
await time("filter_range_ms", half, (span) => events(span));
await time("filter_text_ms", full, (span) => events(span, { query: NOWHERE }));
await time("filter_regex_ms", full, (span) => events(span, { query: EVERYWHERE }));
// The first field of the type that most events with fields have.
const types = await ask("Types");
const ids = column(types, "event_type", Uint32Array);
const fields = column(types, "fields", Uint32Array);
const eventsOf = column(types, "count", BigUint64Array).map((count, row) => (fields[row] > 0 ? count : 0n));
// Of so many events the payload may hold a text; a search looks at no others.
let withText = 0n;
const schemas = await ask("Schemas");
const fieldNames = texts(schemas, "field_name");
const fieldTypes = texts(schemas, "field_type");
const fieldsEnd = column(schemas, "fields_end", Uint32Array);
const fieldsOf = (row) => [row === 0 ? 0 : fieldsEnd[row - 1], fieldsEnd[row]];
for (const row of ids.keys()) {
  if (fieldTypes.slice(...fieldsOf(row)).some((type) => type.includes("string"))) withText += eventsOf[row];
}
figures.text_payloads = Number(withText);
const most = eventsOf.indexOf(eventsOf.reduce((most, count) => (count > most ? count : most), 0n));
const field = fieldNames.slice(...fieldsOf(most))[0] ?? "";
await time("sort_thread_ms", full, (span) => events(span, {}, { key: "Thread", descending: false }));
await time("sort_field_ms", full, (span) => events(span, {}, { key: { Field: field }, descending: false }));
await time("flame_all_ms", full, flame);
await time("flame_range_ms", half, flame);
await time("functions_ms", full, (span) => ({ Functions: { query: query(span), order: "Exclusive", limit: 200 } }));
const hottest = column(await ask({ HotPath: { query: query(full), max_depth: 256 } }), "function", Uint32Array);
const path = hottest.slice(0, hottest.length >> 1);
await time("children_ms", full, (span) => ({ Children: { query: query(span), path } }));
// Leaves first; then, in such a tree, who calls one after the other of its rows.
const inverted = (span) => ({ ...query(span), shape: { ...shape, inverted: true } });
await time("bottom_up_ms", full, (span) => ({ Children: { query: inverted(span), path: [] } }));
const leaves = column(await ask({ Children: { query: inverted(full), path: [] } }), "function", Uint32Array);
let row = 0;
await time("callers_ms", full, () => ({ Children: { query: inverted(full), path: [leaves[row++ % leaves.length] ?? 0] } }));
await time("detail_ms", full, () => ({ EventDetail: { event: middle } }));
// Another block of the file each time; as many bytes as a window shows, with some around them.
const sections = { of: { kinds: 0, only_problems: false }, order: { column: null, descending: false }, first: 0n, count: 0 };
const fileBytes = column(await ask({ Sections: sections }), "file_bytes", BigUint64Array)[0];
let place = fileBytes / 3n;
const next = () => (place = (place + fileBytes / 20n) % fileBytes);
await time("strip_ms", full, () => ({ SectionRuns: { start: 0n, end: fileBytes, count: 1200 } }));
await time("block_ms", full, () => ({ Structure: { offset: next(), item: null, first: 0n, count: 256 } }));
await time("leaves_ms", full, () => ({ Leaves: { offset: next(), bytes: 2048 } }));
await time("lanes_all_ms", full, (span) => lanes(span, 0));
await time("lanes_deep_ms", full, (span) => lanes(span, 256));
return figures;
