// The panels beside the pictures: a message or a copy in full, the messages of a step, findings, and the text.

/** So many messages or links of a step are listed, until somebody asks for all: longer lists make steps slow. */
const LISTED = 24;

/** Return a list of terms and what is said of them; terms of which nothing is said are left out. */
function terms(pairs) {
  const list = element("dl");
  for (const [term, said] of pairs) {
    if (said !== "" && said !== undefined && said !== null)
      list.append(element("dt", {}, term), element("dd", {}, said));
  }
  return list;
}

const code = (text) => element("code", { textContent: text });
const valuesShown = (values) => (values?.length ? code(values.join(" ")) : "");

/** Return what is known of a message, and its formulas with its numbers put in. */
function messagePanel(message, place, file) {
  const panel = element("div", {});
  if (message.look)
    panel.append(
      element("p", { className: `verdict ${message.look}` }, MARKS[message.look], ` ${LOOKS[message.look]}`),
    );
  if (message.says) panel.append(element("p", {}, message.says));
  panel.append(
    terms([
      ["from", `rank ${message.src}`],
      ["to", `rank ${message.dst}`],
      [message.chunks.length === 1 ? "chunk" : "chunks", ranges(message.chunks)],
      ["receiver", message.adds === null ? "" : message.adds ? "adds it (+)" : "overwrites with it (=)"],
      ["entries", message.entries],
      ["bytes", message.bytes],
      ["support", message.support ? ranges(message.support) || "no entry" : ""],
      [message.wanted.length ? "values seen" : "values", valuesShown(message.values)],
      ["values wanted", valuesShown(message.wanted)],
      ["source", message.where ? code(message.where) : ""],
    ]),
  );
  const own = (place.stage.formulas ?? []).map((i) => file.formulas?.[i]).filter(Boolean);
  if (own.length) panel.append(element("h3", {}, "By the page\u2019s formulas"));
  for (const formula of own) panel.append(equationShown(formula, message, place.step, file));
  return panel;
}

const MARKS = { wrong: "\u2260", missing: "\u00d7", expected: "\u25cb" };

function equationShown(formula, message, step, file) {
  const { parts, source, differs } = equation(formula, message, step, file.values ?? {}, file.ranks, file.formulas);
  const lines = parts.map((part, i) => element("span", { className: "part" }, i ? "= " : "", part));
  const made = element("p", { className: "equation" }, ...lines);
  if (differs) made.append(element("span", { className: "part differs" }, `\u2260 ${differs}, as the message has it`));
  return source ? element("div", {}, made, element("pre", {}, source)) : made;
}

/** Return what is known of a copy. */
function copyPanel(replay, position, { rank, chunk }) {
  const content = replay.content(position, rank, chunk);
  return element(
    "div",
    {},
    element("p", {}, `${copySentence(replay, position, rank, chunk)}.`),
    terms([
      ["support", content?.support ? ranges(content.support) || "no entry" : ""],
      ["values", valuesShown(content?.values)],
    ]),
  );
}

/** Return what a copy holds at a position, in a sentence. */
function copySentence(replay, position, rank, chunk) {
  return copyTold(rank, chunk, replay.copies(position).held(rank, chunk), replay.goal(position).held(rank, chunk));
}

/** Return the first items of a list as its members, and behind a button the others. */
function cut(list, items, member) {
  list.append(...items.slice(0, LISTED).map(member));
  const rest = items.slice(LISTED);
  if (!rest.length) return list;
  const more = element("button", { type: "button" }, `show ${rest.length} more`);
  const last = element("li", {}, more);
  more.addEventListener("click", () => {
    last.replaceWith(...rest.map(member));
    list.children[LISTED].querySelector("button")?.focus();
  });
  list.append(last);
  return list;
}

/** Return the messages of a place as buttons. */
function messageList(place, position, choose) {
  return cut(element("ul", { className: "messages" }), place?.messages ?? [], (message) => {
    const told = { "aria-label": sentence(message), title: sentence(message) };
    const made = element("button", { type: "button", className: lookOf(message), ...told }, brief(message));
    made.addEventListener("click", () => choose({ position, index: message.index }));
    return element("li", {}, made);
  });
}

/** Return a small picture of how messages of a look are drawn. */
function swatch(look) {
  const scene = new Scene(34, 14);
  scene.arrow([2, 7], [32, 7], { look, width: 1.8 });
  const made = asSvg(scene, "");
  made.setAttribute("aria-hidden", "true");
  made.classList.add("swatch");
  return made;
}

/** Return the findings as buttons, each with who waits for whom. */
function findingList(findings, choose) {
  const list = element("ol", { className: "findings", "aria-label": "findings" });
  findings.forEach((finding, i) => {
    const at = finding.where ? element("code", {}, finding.where) : null;
    const button = element("button", { type: "button" }, element("span", {}, finding.text), at);
    button.addEventListener("click", () => choose(i));
    const item = element("li", {}, button);
    if (finding.waits?.length) item.append(waitList(finding.waits));
    list.append(item);
  });
  return list;
}

/** Return a text with what stands between two backticks, or four, as code. */
const withCode = (text) => text.split(/\x60+([^\x60]+)\x60+/).map((part, i) => (i % 2 ? code(part) : part));

function waitList(waits) {
  const list = element("ul", { className: "waits" });
  for (const { rank, on, call = "", where = "" } of waits) {
    const said = `rank ${rank} waits for ${on.length ? `rank ${ranges(on)}` : "nobody"}${call ? ` in ${call}` : ""}`;
    list.append(element("li", {}, said, where ? " " : "", where ? code(where) : null));
  }
  return list;
}

/** Return what the document says in words: prose, formulas, notes, the command. */
function about({ prose = "", formulas = [], notes = [], command = "", values = {} }) {
  const made = element("details", { className: "about" }, element("summary", {}, "About this run"));
  for (const paragraph of prose.split(/\n\s*\n/).filter(Boolean)) made.append(element("p", {}, ...withCode(paragraph)));
  const fixed = Object.entries(values).map(([letter, value]) => `${letter} = ${value}`);
  if (formulas.length)
    made.append(element("h3", {}, "Formulas"), fixed.length ? element("p", {}, fixed.join(", ")) : "");
  for (const formula of formulas) made.append(element("pre", {}, formula.source));
  if (notes.length)
    made.append(element("h3", {}, "Notes"), element("ul", {}, ...notes.map((note) => element("li", {}, note))));
  if (command) made.append(element("h3", {}, "Command"), element("pre", {}, command));
  return made.children.length > 1 ? made : null;
}
