// Writes queries as the page does (protocol::queries): numbers in pieces of seven bits, what may be negative folded in
// between, lists and texts behind their lengths, kinds by their numbers in the order of declaration.
const written = (() => {
  const bytes = (value) => [...value];
  const number = (value) => {
    const pieces = [];
    let rest = BigInt(value);
    for (; rest > 127n; rest >>= 7n) pieces.push(Number(rest & 127n) | 128);
    return [...pieces, Number(rest)];
  };
  const signed = (value) => number(BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n)));
  const flag = (value) => [value ? 1 : 0];
  const text = (value) => [...number(new TextEncoder().encode(value).length), ...bytes(new TextEncoder().encode(value))];
  const double = (value) => bytes(new Uint8Array(new Float64Array([value]).buffer));
  const list = (of) => (value) => [...number(value.length), ...value.flatMap(of)];
  const maybe = (of) => (value) => (value === null ? [0] : [1, ...of(value)]);
  const parts = (fields) => (value) => Object.entries(fields).flatMap(([name, of]) => of(value[name]));
  // One of several kinds: a name, or an object with the name of the kind and what it holds.
  const kind = (kinds) => (value) => {
    const name = typeof value === "string" ? value : Object.keys(value)[0];
    const at = Object.keys(kinds).indexOf(name);
    if (at < 0) throw new Error(`${name} cannot be written`);
    return [...number(at), ...(kinds[name] ? kinds[name](value[name]) : [])];
  };
  const never = () => {
    throw new Error("the measurement asks for nothing like that");
  };
  const names = (...all) => kind(Object.fromEntries(all.map((name) => [name, null])));
  const span = parts({ start: signed, end: signed });
  const filter = parts({
    span: maybe(span), processes: list(number), threads: list(number), providers: list(text), types: list(number),
    query: text, labels: list(never), frames: list(never), level: maybe((value) => [value]),
  });
  const shape = parts({
    roots: names("None", "Process", "Thread", "Role", "Work"), stitched: flag, awaits: flag, unresolved: flag,
    just_my_code: flag, without_polls: flag, without_callees: flag, shown: list(text), framework: list(text), patterns: parts({ groups: text, folds: text }),
    grouping: names("Functions", "Classes", "Namespaces", "Modules"), without_recursion: flag, transforms: list(never),
    inverted: flag,
  });
  const query = parts({
    filter, source: names("Samples"), samples: names("All", "Managed", "External"), weight: names("Count", "Time"), shape,
    baseline: maybe(never),
  });
  const key = {
    Time: null, Thread: null, Provider: null, Name: null, Level: null, Duration: null, BelongsTo: null, Property: never,
    Field: text, Payload: null,
  };
  const order = parts({ key: kind(key), descending: flag });
  // By the numbers of the queries: their positions in protocol::every_query.
  const kinds = {
    Threads: [5, parts({ filter })],
    Lanes: [6, parts({ threads: list(number), span, resolution: signed, max_depth: number, spans: flag })],
    Events: [13, parts({ filter, order, first: number, count: number })],
    EventDetail: [20, parts({ event: number })],
    Flame: [23, parts({ query, path: list(number), min_share: double, max_depth: number })],
    Children: [24, parts({ query, path: list(number) })],
    HotPath: [27, parts({ query, max_depth: number })],
    Functions: [28, parts({ query, order: names("Exclusive", "Inclusive"), limit: number })],
    Types: [36, () => []],
    Schemas: [38, () => []],
    Sections: [49, parts({ of: parts({ kinds: number, only_problems: flag }), order: parts({ column: maybe(number), descending: flag }), first: number, count: number })],
    SectionRuns: [51, parts({ start: number, end: number, count: number })],
    Structure: [54, parts({ offset: number, item: maybe(number), first: number, count: number })],
    Leaves: [55, parts({ offset: number, bytes: number })],
  };
  return (request) => {
    const name = typeof request === "string" ? request : Object.keys(request)[0];
    const [at, of] = kinds[name];
    return [...number(at), ...of(request[name])];
  };
})();
