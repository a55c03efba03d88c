// Says in words what the pictures show.

/** Return a count with its noun: ``count(1, "rank")`` is "1 rank". */
const count = (n, thing) => `${n} ${thing}${n === 1 ? "" : "s"}`;

/** Return a list in prose, of its first few members where it is long. */
function listed(items, most = 4) {
  const shown = items.slice(0, most);
  if (items.length > most) return `${shown.join("; ")}; and ${items.length - most} more`;
  return shown.join("; ");
}

/** Return numbers as ranges: 0-3, 6. */
function ranges(numbers) {
  const parts = [];
  for (const n of numbers) {
    const last = parts.at(-1);
    if (last && last[1] === n - 1) last[1] = n;
    else parts.push([n, n]);
  }
  return parts.map(([a, b]) => (a === b ? `${a}` : `${a}\u2013${b}`)).join(", ");
}

/** Return chunks with their noun. */
const chunkNames = (chunks) => (chunks.length ? `${chunks.length === 1 ? "chunk" : "chunks"} ${ranges(chunks)}` : "");

const LOOKS = { wrong: "is at fault", missing: "was not sent", expected: "the page has it here" };

/** Speak of the page where a run stands beside one. */
function speakOf(file) {
  const pages = file.runs.some((run) => run.stages.some((stage) => stage.page));
  if (pages) LOOKS.wrong = "differs from the page";
}

/** Return what a receiver does with a message. */
function effect({ chunks, adds }) {
  if (adds === null) return "";
  const many = chunks.length > 1;
  if (adds) return many ? "which adds them to its copies" : "which adds it to its copy";
  return many ? "which overwrites its copies" : "which overwrites its copy";
}

/** Return a message as a sentence without its full stop. */
function sentence(message) {
  const what = [chunkNames(message.chunks) || "a message", size(message)].filter(Boolean).join(", ");
  const verb = message.look === "missing" ? "should send" : message.look === "expected" ? "sends on the page" : "sends";
  const said = [`rank ${message.src} ${verb} ${what} to rank ${message.dst}`, effect(message)]
    .filter(Boolean)
    .join(", ");
  return LOOKS[message.look] ? `${said} (${LOOKS[message.look]})` : said;
}

/** Return a message in a few words. */
const brief = (message) =>
  [`${message.src} \u2192 ${message.dst}`, chunkNames(message.chunks), size(message), LOOKS[message.look]]
    .filter(Boolean)
    .join(" \u00b7 ");

/** Return how long a message is, where that is known. */
function size({ entries, bytes }) {
  const entriesSaid = entries === undefined ? "" : entries === 1 ? "1 entry" : `${entries} entries`;
  return [entriesSaid, bytes === undefined ? "" : count(bytes, "byte")].filter(Boolean).join(", ");
}

/** Return the short label of an arrow: what is added (+) or overwrites (=), and how many bytes or entries. */
function label(message) {
  const sign = message.adds === null ? "" : message.adds ? "+" : "=";
  const long =
    message.bytes !== undefined ? `${message.bytes} B` : message.entries !== undefined ? `${message.entries} e` : "";
  const short = message.chunks.length > 6 ? `${message.chunks.length} chunks` : ranges(message.chunks);
  return [short ? sign + short : "", long].filter(Boolean).join(", ");
}

/** Return the name of a place: its stage, and its step there. */
function placeName(place) {
  if (!place) return "before the first step";
  const heading = place.stage.heading || place.stage.page || "";
  if (place.local) return heading || "local work";
  const t = place.step.t === undefined ? "" : `t = ${place.step.t}`;
  return [heading, t, place.step.label].filter(Boolean).join(" \u00b7 ") || `step ${place.within}`;
}

/** Return what happens at a place in a sentence or two, for those who hear the page. */
function told(place) {
  if (!place) return "Before the first step.";
  if (place.local) return `${placeName(place)}. ${place.stage.text ?? ""}`;
  const sent = place.messages.length
    ? `${count(place.messages.length, "message")}: ${listed(place.messages.map(sentence))}`
    : "no message";
  return `${placeName(place)}. ${sent}.`;
}

/** Return what a copy holds, in a sentence. */
function copyTold(r, c, held, goal) {
  const copy = `rank ${r}\u2019s copy of chunk ${c}`;
  if (held === null) return `${copy}: whose contributions it holds is not known`;
  if (!held.length) return `${copy} is empty`;
  const has = held.filter((q) => goal.includes(q)).length;
  const wanted = !goal.length
    ? "nothing is promised here"
    : goal.length === held.length
      ? "all it must hold"
      : `${has} of ${goal.length} wanted`;
  return `${copy}: contributions of ${held.length === 1 ? "rank" : "ranks"} ${ranges(held)} (${wanted})`;
}
