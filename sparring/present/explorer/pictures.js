// The pictures of a run at a position: space-time, ring, matrix, and the copies.
// Each takes what is to be shown (see ``Shown``) and a width, and returns a scene.

/** So many places stand in the space-time picture at once. */
const WINDOW = 7;
/** Of many ranks so many. */
const SMALL_WINDOW = 5;
const MANY = 64;
/** A picture may be so high, though less be in sight. */
const LOWEST = 300;
/** Up to so many ranks arrows have labels, and rings show chunks. */
const LABELLED = 16;
/** A cell of less than so many pixels is drawn as a pixel of a picture. */
const SMALLEST = 5;

/** What is shown: a run at a position, and what of it is chosen or waits. */
class Shown {
  constructor(replay, position, { chosen = null, waits = [], total = false, room = LOWEST, network = null } = {}) {
    Object.assign(this, { replay, chosen, waits, total, network, room: Math.max(LOWEST, room), ranks: replay.ranks });
    this.position = Math.min(position, replay.length);
    this.ended = position > replay.length;
    this.copies = replay.copies(this.position);
    this.goal = this.copies && replay.goal(this.position);
    this.longest = Math.max(1, ...replay.messages(this.position).map(weight));
  }

  arrow(message, position) {
    const item = { kind: "message", position, index: message.index };
    return {
      item,
      look: lookOf(message),
      name: sentence(message),
      width: 1.4 + 2.6 * (weight(message) / Math.max(this.longest, weight(message))) * (weight(message) ? 1 : 0),
      chosen: this.chosen?.position === position && this.chosen.index === message.index,
    };
  }
}

/** Return every how many of n numbers one has room, where each is so many pixels wide: 1, 2, 5, 10 and so on. */
function every(n, pixels) {
  const wide = 12 + 7 * String(n - 1).length;
  for (let ten = 1; ; ten *= 10) for (const one of [1, 2, 5]) if (one * ten * pixels >= wide) return one * ten;
}

/** Return how heavy a message is drawn: its bytes, its entries or the number of its chunks. */
const weight = ({ bytes, entries, chunks }) => bytes ?? entries ?? (chunks.length > 1 ? chunks.length : 0);

const talking = (messages) => messages.filter((one) => one.src !== one.dst);

// --- space-time

/** Return the positions of the space-time picture: a window around the current one. */
function windowOf(position, length, size = WINDOW) {
  const first = Math.max(1, Math.min(position - Math.floor(size / 2), length - size + 1));
  return Array.from({ length: Math.min(size, length) }, (_, i) => first + i);
}

function spacetime(shown, width) {
  const { replay, position, ranks } = shown;
  const band = 68;
  const shownPositions = windowOf(
    position,
    replay.length,
    Math.max(3, Math.min(ranks > MANY ? SMALL_WINDOW : WINDOW, Math.floor((shown.room - 60) / band))),
  );
  const left = width < 500 ? 42 : 54;
  const scene = new Scene(width, 54 + band * shownPositions.length + (shown.waits.length ? 22 : 0));
  const column = (width - left - 10) / ranks;
  const x = (r) => left + column * (r + 0.5);
  const y = (i) => 34 + band * i;
  heads(scene, ranks, x, column);
  shownPositions.forEach((one, i) => {
    const top = y(i);
    if (one === position) scene.rect(0, top - 2, width, band + 16, { fill: "--now", round: 6 });
    scene.text(left - 10, top + band / 2 + 6, stepMark(replay.place(one)), {
      anchor: "end",
      weight: one === position ? 700 : 400,
      size: 11,
      fill: one === position ? "--ink" : "--soft",
    });
  });
  for (let r = 0; r < ranks; r++)
    scene.line(
      [
        [x(r), y(0)],
        [x(r), y(shownPositions.length)],
      ],
      { stroke: "--rule" },
    );
  shownPositions.forEach((one, i) =>
    happening(scene, shown, one, { x, column, top: y(i) + 13, bottom: y(i) + band - 2 }),
  );
  if (shownPositions.length) strip(scene, shown, shownPositions[0] - 1, { x, column, y: y(0) });
  shownPositions.forEach((one, i) => strip(scene, shown, one, { x, column, y: y(i + 1) }));
  for (const { rank, on } of shown.waits)
    scene.text(x(rank), scene.height - 6, fitted(`waits for ${ranges(on)}`, column), {
      fill: "--wrong",
      size: 11,
      weight: 600,
    });
  return scene;
}

const stepMark = (place) =>
  place.local ? "local" : place.step.t === undefined ? place.step.label || `${place.within}` : `t=${place.step.t}`;

function heads(scene, ranks, x, column) {
  for (let r = 0; r < ranks; r += every(ranks, column))
    scene.text(x(r), 16, column > 54 ? `rank ${r}` : `${r}`, { size: 12, weight: 600 });
}

/** Draw what happens at one place: arrows, or a box for local work. */
function happening(scene, shown, position, { x, column, top, bottom }) {
  const place = shown.replay.place(position);
  const now = position === shown.position;
  if (place.local) {
    const [from, to] = [x(0) - column / 2 + 2, x(shown.ranks - 1) + column / 2 - 2];
    scene.rect(from, top + 10, to - from, bottom - top - 20, {
      fill: "--box",
      stroke: now ? "--ink" : "--rule",
      round: 8,
    });
    scene.text((from + to) / 2, (top + bottom) / 2 + 4, fitted(placeName(place), to - from), {
      size: 13,
      weight: now ? 600 : 400,
    });
    return;
  }
  const sent = talking(place.messages);
  for (const message of sent) {
    scene.arrow([x(message.src), top], [x(message.dst), bottom], {
      ...shown.arrow(message, position),
      faint: !now,
      tip: Math.min(1, column / 16),
    });
  }
  if (shown.ranks <= LABELLED && now) for (const message of sent) labelled(scene, message, x, top, bottom, column);
}

/** Return a text that is cut to a width. */
function fitted(text, width) {
  const most = Math.max(4, Math.floor(width / 7.5));
  return text.length > most ? `${text.slice(0, most - 1)}\u2026` : text;
}

/** Label an arrow to a neighbour near its sender, and a longer one near its receiver, where the others are not. */
function labelled(scene, message, x, top, bottom, column) {
  const text = label(message);
  const [a, b] = [x(message.src), x(message.dst)];
  const far = Math.abs(b - a) / column;
  const u = far < 1.5 ? 0.36 : 1 - 0.4 / far;
  scene.text(a + (b - a) * u, top + (bottom - top) * u + 4, fitted(text, column * 1.3), {
    size: 11,
    halo: true,
    fill: "--ink",
  });
}

/** Draw the copies at a position: a cell a chunk, or a bar a rank where there is no room. */
function strip(scene, shown, position, { x, column, y }) {
  const { replay } = shown;
  const copies = replay.copies(position);
  if (!copies) return;
  const goal = replay.goal(position);
  const span = Math.min(column - 4, 150);
  const cell = span / copies.chunks;
  const faint = position === shown.position ? 1 : 0.55;
  const changed = position === shown.position ? changes(replay.messages(position)) : new Map();
  for (let r = 0; r < shown.ranks; r++) {
    const left = x(r) - span / 2;
    if (cell < SMALLEST) fill(scene, left, y, Math.max(1, span), 12, copies.sharesOf(goal)[r], faint);
    else
      for (let c = 0; c < copies.chunks; c++)
        fill(scene, left + cell * c, y, cell - 1, 12, copies.share(r, c, goal), faint, changed.get(`${r} ${c}`), {
          kind: "cell",
          position,
          rank: r,
          chunk: c,
        });
  }
}

/** Draw a cell: filled from below by the share it holds, in the colour of the finished where it holds all. */
function fill(scene, x, y, w, h, share, opacity = 1, look = null, item = null) {
  const full = share === 1;
  scene.rect(x, y, w, h, { fill: share === null ? "--unknown" : "--empty", opacity }, item);
  const high = (share ?? 0) * h;
  if (high) scene.rect(x, y + h - high, w, high, { fill: full ? "--full" : "--part", opacity }, item);
  if (look) scene.rect(x - 0.5, y - 0.5, w + 1, h + 1, { stroke: STYLES[look].colour, width: 2 }, item);
}

/** Return the copies that a step changes, by rank and chunk, with the look of the message that does. */
function changes(messages) {
  const found = new Map();
  for (const message of messages)
    if (message.sent) for (const c of message.chunks) found.set(`${message.dst} ${c}`, lookOf(message));
  return found;
}

// --- ring

function ring(shown, width) {
  const { ranks, replay, position, copies, goal } = shown;
  const node = Math.max(2.5, Math.min(19, width / 28, (Math.PI * Math.min(width, 560)) / ranks / 5));
  const strips = copies && ranks <= LABELLED && copies.chunks <= LABELLED;
  const span = strips ? Math.min(52, 7 * copies.chunks) : 0;
  const high = Math.max(100, shown.room / 2 - node - 22);
  const radius = Math.min(240, high, width / 2 - 2 * node - span - (strips ? 8 : 20));
  const height = 2 * (radius + node + 22);
  const scene = new Scene(width, height);
  const at = (r, right = 0, down = right) => {
    const angle = (2 * Math.PI * r) / ranks - Math.PI / 2;
    return [width / 2 + (radius + right) * Math.cos(angle), height / 2 + (radius + down) * Math.sin(angle)];
  };
  scene.circle(width / 2, height / 2, radius, { stroke: "--rule" });
  const sent = talking(replay.messages(position));
  for (const message of sent) chord(scene, at, message.src, message.dst, node, shown.arrow(message, position));
  for (const wait of shown.waits) {
    for (const on of wait.on)
      if (on !== wait.rank)
        chord(scene, at, wait.rank, on, node, {
          look: "waits",
          width: 3,
          name: `rank ${wait.rank} waits for rank ${on}`,
        });
  }
  if (ranks <= LABELLED) for (const message of sent) chordLabel(scene, at, message, node);
  const waiting = new Set(shown.waits.map((one) => one.rank));
  for (let r = 0; r < ranks; r++) {
    const share = copies?.sharesOf(goal)[r];
    scene.circle(...at(r), node, {
      fill: share === 1 ? "--fullPale" : "--paper",
      stroke: waiting.has(r) ? "--wrong" : share === 1 ? "--full" : "--ink",
      width: waiting.has(r) ? 3 : 1.5,
    });
    if (node > 7) scene.text(at(r)[0], at(r)[1] + 4.5, `${r}`, { size: Math.min(14, node * 0.9 + 2), weight: 600 });
    else if (r % every(ranks, (2 * Math.PI * radius) / ranks) === 0)
      scene.text(at(r, 13)[0], at(r, 13)[1] + 3, `${r}`, { size: 10 });
    if (strips) ringStrip(scene, shown, r, at(r, node + span / 2 + 6, node + 12), span);
  }
  const place = replay.place(position);
  if (place?.local)
    scene.text(width / 2, height / 2, fitted(placeName(place), radius * 1.6), { size: 14, weight: 600 });
  return scene;
}

/** Draw an arrow between two ranks of the ring, from rim to rim, bent so that its way back lies beside it. */
function chord(scene, at, src, dst, node, arrow) {
  const [a, b] = [at(src), at(dst)];
  const far = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
  const gap = Math.min(0.3, (node + 3) / far);
  const point = (u) => [a[0] + (b[0] - a[0]) * u, a[1] + (b[1] - a[1]) * u];
  scene.arrow(point(gap), point(1 - gap), { bend: -0.12, tip: Math.min(1, far / 40), ...arrow });
}

function chordLabel(scene, at, message) {
  const [a, b] = [at(message.src), at(message.dst)];
  const via = [(a[0] + b[0]) / 2 - (b[1] - a[1]) * 0.12, (a[1] + b[1]) / 2 + (b[0] - a[0]) * 0.12];
  const [x, y] = between(a, via, b, 0.42);
  scene.text(x, y + 4, fitted(label(message), 90), { size: 11, halo: true });
}

function ringStrip(scene, { copies, goal, position, replay }, r, [x, y], span) {
  const cell = span / copies.chunks;
  const left = x - span / 2;
  const changed = changes(replay.messages(position));
  for (let c = 0; c < copies.chunks; c++) {
    fill(scene, left + cell * c, y - 6, cell - 1, 12, copies.share(r, c, goal), 1, changed.get(`${r} ${c}`), {
      kind: "cell",
      position,
      rank: r,
      chunk: c,
    });
  }
}

// --- matrix

/** Return how many messages go from each rank to each, at a position or up to it, with the look of one that differs. */
function traffic({ replay, position, ranks, total }) {
  const counts = new Map();
  for (let at = total ? 1 : position; at <= position; at++) {
    for (const message of replay.messages(at)) {
      const name = message.src * ranks + message.dst;
      const found = counts.get(name) ?? { count: 0, look: "", position: at, index: message.index };
      counts.set(name, { ...found, count: found.count + (message.sent ? 1 : 0), look: message.look || found.look });
    }
  }
  return counts;
}

function matrix(shown, width) {
  const { ranks } = shown;
  const edge = 44;
  const cell = Math.min(44, (Math.min(width, 620) - edge - 6) / ranks);
  const scene = new Scene(width, edge + cell * ranks + 8);
  const left = Math.max(edge, (width - cell * ranks) / 2);
  scene.text(left - 38, 13, "senders \u2193   receivers \u2192", { size: 11, fill: "--soft", anchor: "start" });
  for (let r = 0; r < ranks; r += every(ranks, cell)) {
    scene.text(left + cell * (r + 0.5), edge - 6, `${r}`, { size: 11 });
    scene.text(left - 6, edge + cell * (r + 0.5) + 4, `${r}`, { size: 11, anchor: "end" });
  }
  scene.rect(left, edge, cell * ranks, cell * ranks, { fill: "--empty", stroke: "--rule" });
  if (cell > SMALLEST) grid(scene, left, edge, cell, ranks);
  const counts = traffic(shown);
  const most = Math.max(1, ...[...counts.values()].map((one) => one.count));
  for (const [name, found] of counts) {
    const [row, column] = [Math.floor(name / ranks), name % ranks];
    const [x, y] = [left + cell * column, edge + cell * row];
    const item = { kind: "message", position: found.position, index: found.index };
    scene.rect(
      x + 0.5,
      y + 0.5,
      cell - 1,
      cell - 1,
      { fill: "--part", opacity: 0.35 + (0.65 * found.count) / most },
      item,
    );
    if (found.look)
      scene.rect(
        x + 1.5,
        y + 1.5,
        cell - 3,
        cell - 3,
        { stroke: STYLES[found.look].colour, dash: STYLES[found.look].dash, width: Math.min(3, cell / 4) },
        item,
      );
    if (cell > 13)
      scene.text(
        x + cell / 2,
        y + cell / 2 + 4,
        found.look === "missing" && !found.count ? "\u00d7" : `${found.count}`,
        { size: 12, fill: "--onPart", weight: 600 },
      );
  }
  return scene;
}

function grid(scene, left, top, cell, ranks) {
  for (let i = 1; i < ranks; i++) {
    scene.line(
      [
        [left + cell * i, top],
        [left + cell * i, top + cell * ranks],
      ],
      { stroke: "--rule" },
    );
    scene.line(
      [
        [left, top + cell * i],
        [left + cell * ranks, top + cell * i],
      ],
      { stroke: "--rule" },
    );
  }
}

// --- copies

/** Draw each rank's copy, a row a rank, a column a chunk; ``cursor`` is the cell that the keyboard is on. */
function copiesPicture(shown, width, cursor) {
  const { copies, ranks } = shown;
  const edge = 30;
  const room = Math.min(width, 560) - edge - 8;
  const w = Math.min(52, room / copies.chunks);
  const h = Math.min(30, Math.max(w, 12), Math.max(2.4, 420 / ranks));
  const scene = new Scene(Math.ceil(edge + w * copies.chunks + 8), Math.ceil(edge + h * ranks + 6));
  for (let c = 0; c < copies.chunks; c += every(copies.chunks, w))
    scene.text(edge + w * (c + 0.5), edge - 6, `${c}`, { size: 11, fill: "--soft" });
  for (let r = 0; r < ranks; r += every(10, h))
    scene.text(edge - 6, edge + h * (r + 0.5) + 4, `${r}`, { size: 11, anchor: "end" });
  if (w < SMALLEST || h < SMALLEST) small(scene, shown, edge, w, h);
  else large(scene, shown, edge, w, h);
  if (cursor)
    scene.rect(edge + w * cursor.chunk - 1, edge + h * cursor.rank - 1, w + 1, h + 1, { stroke: "--focus", width: 3 });
  return scene;
}

function small(scene, { copies, goal, ranks, position }, edge, w, h) {
  const shades = Array.from({ length: 256 }, (_, i) => i / 255);
  let ramp = null;
  const shade = (c, r) => {
    ramp ??= shades.map((share) => mixed(ink(share === 1 ? "--full" : "--part"), ink("--empty"), share));
    const share = copies.share(r, c, goal);
    return ramp[share === 1 ? 255 : Math.min(254, Math.round((share ?? 0) * 255))];
  };
  scene.pixels(edge, edge, w * copies.chunks, h * ranks, copies.chunks, ranks, shade, (c, r) => ({
    kind: "cell",
    position,
    rank: r,
    chunk: c,
  }));
}

/** Return a pixel between two colours of the form rgb(…). */
function mixed(full, empty, share) {
  const [from, to] = [empty, full].map((text) => text.match(/[\d.]+/g).map(Number));
  const [red, green, blue] = [0, 1, 2].map((i) => Math.round(from[i] + (to[i] - from[i]) * share));
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}

function large(scene, shown, edge, w, h) {
  const { copies, goal, ranks, replay, position } = shown;
  const changed = changes(replay.messages(position));
  for (let r = 0; r < ranks; r++) {
    for (let c = 0; c < copies.chunks; c++) {
      const [x, y] = [edge + w * c, edge + h * r];
      fill(scene, x, y, w - 1.5, h - 1.5, copies.share(r, c, goal), 1, changed.get(`${r} ${c}`), {
        kind: "cell",
        position,
        rank: r,
        chunk: c,
      });
      ticks(scene, shown, r, c, x, y, w - 1.5, h - 1.5);
    }
  }
}

/** Draw the entries that a sparse copy has as tick marks along its cell. */
function ticks(scene, { replay, position }, r, c, x, y, w, h) {
  const support = replay.content(position, r, c)?.support;
  if (!support) return;
  const entries = replay.sizes(position)[c] ?? Math.max(0, ...support) + 1;
  for (const i of support.slice(0, 64)) {
    const at = x + (w * (i + 0.5)) / entries;
    scene.line(
      [
        [at, y + h * 0.25],
        [at, y + h * 0.75],
      ],
      { stroke: "--ink", width: 1.4 },
    );
  }
}
