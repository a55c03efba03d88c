// The topology under a run: its nodes and links, where they stand, and which messages each link carries.

/** Ranks stand in a row where each has so many pixels, else on a circle. */
const ROOM_OF_RANK = 40;
/** How far the links of a pair of nodes, one each way, are apart at most. */
const APART = 16;
/** How far a link swings out that would lead over other nodes: of its length, and at most of a grid's unit. */
const BEND = 0.24;
const SWING = 0.85;
/** Links have the number of a single message up to so many ranks. */
const SINGLES = 32;
/** Where on a link its number stands: the first place that is free. */
const PLACES = [0.5, 0.36, 0.64, 0.24, 0.76];
/** Else it stands so many pixels beside the middle. */
const BESIDE = 15;
/** A grid of two nodes a side stands as cubes: where each three dimensions lead. */
const CUBE = [
  [1, 0],
  [0, 1],
  [0.42, 0.36],
];

/** Return names in an order in which numbers count as numbers. */
const inOrder = (a, b) => a.localeCompare(b, "en", { numeric: true });

/** Return the mean of numbers, or else what is given. */
const mean = (numbers, otherwise) =>
  numbers.length ? numbers.reduce((a, b) => a + b, 0) / numbers.length : otherwise;

class Network {
  constructor({ name, links, routes, sides = [] }, ranks) {
    Object.assign(this, { name, links, ranks, sides });
    this.routes = new Map(routes.map(([src, dst, way]) => [src * ranks + dst, way]));
    this.ends = links.map((link) => link.split(" -> ")).map(([a, b = ""]) => [a, b]);
    this.around = new Map(Array.from({ length: ranks }, (_, r) => [`${r}`, new Set()]));
    for (const [a, b] of this.ends) {
      for (const one of [a, b]) if (!this.around.has(one)) this.around.set(one, new Set());
      this.around.get(a).add(b);
      this.around.get(b).add(a);
    }
    this.nodes = [...this.around.keys()];
    this.switches = this.nodes.filter((one) => !/^\d+$/.test(one));
  }

  isRank(node) {
    return /^\d+$/.test(node) && Number(node) < this.ranks;
  }

  /** Return the links that a message crosses. */
  way({ src, dst }) {
    return this.routes.get(src * this.ranks + dst) ?? [];
  }

  /** Return the messages that each link carries, by its number; those that were not sent cross none. */
  carried(messages) {
    const found = new Map();
    for (const message of talking(messages)) {
      if (!message.sent) continue;
      for (const link of this.way(message)) {
        if (!found.has(link)) found.set(link, []);
        found.get(link).push(message);
      }
    }
    return found;
  }

  /** Return how many messages of each place of a run cross a link. */
  history(link, places) {
    const over = new Set([...this.routes].filter(([, way]) => way.includes(link)).map(([pair]) => pair));
    const crosses = ({ src, dst, sent }) => sent && over.has(src * this.ranks + dst);
    return places.map((place) => place.messages.filter(crosses).length);
  }

  /** Return where each node stands: ``u`` from 0 to 1 along the ranks, and ``level`` above them. */
  get layers() {
    this.layered ??= layersOf(this);
    return this.layered;
  }

  /** Return the nodes that are no ranks, level by level. */
  get boxes() {
    const levels = Array.from({ length: this.layers.top }, () => []);
    for (const [name, { level }] of this.layers.at) if (level) levels[level - 1].push(name);
    return levels;
  }
}

/** Return the nodes by their distance from the nearest rank, each above those that it is linked to. */
function layersOf({ nodes, around, ranks, isRank }) {
  const level = new Map(nodes.map((one) => [one, isRank.call({ ranks }, one) ? 0 : null]));
  for (let now = 0, rest = true; rest; now++) {
    const next = nodes.filter(
      (one) => level.get(one) === null && [...around.get(one)].some((other) => level.get(other) === now),
    );
    for (const one of next) level.set(one, now + 1);
    rest = next.length > 0;
  }
  for (const one of nodes) level.set(one, level.get(one) ?? 1);
  const top = Math.max(...level.values());
  const at = new Map(Array.from({ length: ranks }, (_, r) => [`${r}`, { u: (r + 0.5) / ranks, level: 0 }]));
  for (let now = 1; now <= top; now++) {
    const own = nodes.filter((one) => level.get(one) === now);
    const below = (one) => [...around.get(one)].filter((other) => level.get(other) === now - 1);
    const means = new Map(own.map((one) => [one, mean(below(one).map((other) => at.get(other).u), 0.5)]));
    own.sort((a, b) => means.get(a) - means.get(b) || inOrder(a, b));
    const close = own.some((one, i) => i && means.get(one) - means.get(own[i - 1]) < 0.4 / own.length);
    own.forEach((one, i) => at.set(one, { u: close ? (i + 0.5) / own.length : means.get(one), level: now }));
  }
  return { at, top, many: Array.from({ length: top + 1 }, (_, i) => nodes.filter((n) => level.get(n) === i).length) };
}

/** Return where the nodes stand in the picture, and how high it is. */
function standing(network, width, room) {
  if (network.sides.length && !network.switches.length) return inGrid(network, width, room);
  const { top } = network.layers;
  return top && width / network.ranks >= ROOM_OF_RANK ? inRows(network, width, room) : inCircles(network, width, room);
}

/** Return the ranks in a row at the foot, and switches in rows above. */
function inRows({ layers, ranks, ends }, width, room) {
  const row = Math.max(96, Math.min(150, (room - 60) / layers.top));
  const node = Math.min(17, width / ranks / 3);
  const swing = 0.4 * row;
  const beside = ends.some(([a, b]) => layers.at.get(a).level === layers.at.get(b).level);
  const edge = beside ? 20 + swing : 28;
  const at = new Map();
  for (const [name, { u, level }] of layers.at) at.set(name, [8 + (width - 16) * u, edge + row * (layers.top - level)]);
  return { at, node, swing, height: 2 * edge + row * layers.top, free: width / ranks };
}

/** Return the ranks on a circle, and switches on circles within; a last one alone is the middle. */
function inCircles({ layers, ranks }, width, room) {
  const radius = Math.max(110, Math.min(width / 2 - 30, 300, room / 2 - 26));
  const free = (2 * Math.PI * radius) / ranks;
  const node = Math.max(2.5, Math.min(17, free / 3.2));
  const { top, many } = layers;
  const share = (level) => 1 - level / (many[top] === 1 ? top : top + 1.2);
  const middle = [width / 2, radius + 26];
  const at = new Map();
  for (const [name, { u, level }] of layers.at) {
    const angle = 2 * Math.PI * (u - 0.5 / ranks) - Math.PI / 2;
    const far = top ? radius * share(level) : radius;
    at.set(name, [middle[0] + far * Math.cos(angle), middle[1] + far * Math.sin(angle)]);
  }
  return { at, node, swing: 0.75 * free, height: 2 * (radius + 26), free, middle };
}

/** Return the nodes by their digits, the lowest to the right and the next downwards, and so on in larger blocks. */
function inGrid({ nodes, sides }, width, room) {
  const spots = new Map(nodes.map((name) => [name, inUnits(Number(name), sides)]));
  const all = [...spots.values()];
  const [least, most] = [Math.min, Math.max].map((of) => [0, 1].map((i) => of(...all.map((one) => one[i]))));
  const long = [0, 1].map((i) => most[i] - least[i]);
  const edge = Math.max(0.55, Math.min(SWING, 0.1 + (BEND / 2) * Math.max(...long)));
  const span = long.map((one) => one + 2 * edge);
  const unit = Math.min(110, width / span[0], Math.max(room, width * 0.8) / span[1]);
  const down = Math.max(unit, Math.min(1.8 * unit, room / span[1], 110));
  const left = (width - unit * span[0]) / 2;
  const at = new Map();
  for (const [name, [x, y]] of spots) at.set(name, [left + unit * (x - least[0] + edge), down * (y - least[1] + edge)]);
  const near = sides[0] === 2 && sides.length > 2 ? unit * CUBE[2][1] : unit;
  const node = Math.max(2.5, Math.min(17, near / 3));
  return { at, node, swing: (SWING - 0.1) * unit, height: down * span[1], free: unit };
}

function inUnits(number, sides) {
  const [cubes, spot] = [sides.every((one) => one === 2), [0, 0]];
  let rest = number;
  sides.forEach((side, i) => {
    const digit = rest % side;
    rest = Math.floor(rest / side);
    const block = cubes ? 2 ** Math.floor(i / 3) : (side + 0.7) ** Math.floor(i / 2);
    const [dx, dy] = cubes ? CUBE[i % 3] : CUBE[i % 2];
    spot[0] += digit * dx * block;
    spot[1] += digit * dy * block;
  });
  return spot;
}

/** Texts of a picture, none of which may cover another. */
class Labels {
  constructor() {
    this.taken = [];
  }

  /** Take a box, whatever is there. */
  take(x, y, w, h) {
    this.taken.push([x - w / 2, y - h / 2, x + w / 2, y + h / 2]);
  }

  /** Take a box if it is free. */
  claim(x, y, w, h) {
    const [left, top, right, bottom] = [x - w / 2, y - h / 2, x + w / 2, y + h / 2];
    const free = this.taken.every(([a, b, c, d]) => right <= a || left >= c || bottom <= b || top >= d);
    if (free) this.take(x, y, w, h);
    return free;
  }

  /** Take several boxes if all are free and within a width. */
  claimAll(boxes, width) {
    const before = this.taken.length;
    const free = boxes.every(([x, y, w, h]) => x >= w / 2 && x + w / 2 <= width && this.claim(x, y, w, h));
    if (!free) this.taken.length = before;
    return free;
  }
}

// --- the picture

/** Draw the topology with the messages of this step on its links. */
function topologyPicture(shown, width) {
  const { network } = shown;
  const found = standing(network, width, shown.room);
  const scene = new Scene(width, Math.ceil(found.height) + 4);
  const labels = new Labels();
  const carried = network.carried(shown.replay.messages(shown.position));
  const drawn = network.links.map((_, link) => linkDrawn(shown, found, link, carried.get(link) ?? []));
  drawn.sort((a, b) => a.load - b.load || a.link - b.link);
  for (const { a, b, style } of drawn) scene.arrow(a, b, style);
  for (const name of network.nodes) if (network.isRank(name)) rankDrawn(scene, shown, found, name, labels);
  for (const names of network.boxes) boxesDrawn(scene, found, names, labels);
  const least = network.ranks > SINGLES ? 2 : 1;
  for (const one of drawn.toReversed()) if (one.load >= least) loadDrawn(scene, one, labels);
  return scene;
}

/** Return a link as an arrow: how many messages it carries is its width, and its look says whether they contend. */
function linkDrawn({ network, position, chosen, replay }, found, link, messages) {
  const [from, to] = network.ends[link];
  const [a, b] = [found.at.get(from), found.at.get(to)];
  const far = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
  const bend = passesOver(found, from, to, far)
    ? Math.min(BEND, (2 * found.swing) / far)
    : Math.max(0.06, Math.min(0.26, APART / far));
  const gap = Math.min(0.3, (found.node + 2) / far);
  const point = (u) => [a[0] + (b[0] - a[0]) * u, a[1] + (b[1] - a[1]) * u];
  const load = messages.length;
  const over = chosen?.kind === "message" ? network.way(replay.messages(chosen.position)[chosen.index]) : [];
  const style = {
    bend,
    look: load > 1 ? "contended" : load ? "carries" : "idle",
    width: load ? Math.min(9, 2 + 1.7 * Math.log2(load)) * Math.max(0.5, Math.min(1, found.free / 50)) : 1.2,
    tip: Math.min(1, far / 50, found.node / 9),
    faint: !load,
    item: { kind: "link", position, link },
    name: linkSentence(network, link, load),
    chosen: (chosen?.kind === "link" && chosen.link === link) || over.includes(link),
  };
  return { link, load, a: point(gap), b: point(1 - gap), bend, style };
}

/** Whether a straight line between two nodes would lead over others, as along a row of a grid. */
function passesOver({ at, node, free }, from, to, far) {
  if (far < free * 1.2) return false;
  const [a, b] = [at.get(from), at.get(to)];
  const [ux, uy] = [(b[0] - a[0]) / far, (b[1] - a[1]) / far];
  for (const [name, [x, y]] of at) {
    if (name === from || name === to) continue;
    const along = (x - a[0]) * ux + (y - a[1]) * uy;
    if (along > 0 && along < far && Math.abs((y - a[1]) * ux - (x - a[0]) * uy) < node) return true;
  }
  return false;
}

/** Draw a rank as a circle in the colour of its copies. */
function rankDrawn(scene, { copies, goal, ranks }, { at, node, free, middle }, name, labels) {
  const [x, y] = at.get(name);
  const share = copies?.sharesOf(goal)[Number(name)];
  const style = { fill: share === 1 ? "--fullPale" : "--paper", stroke: share === 1 ? "--full" : "--ink", width: 1.5 };
  scene.circle(x, y, node, style, { kind: "node", name });
  labels.take(x, y, 2 * node, 2 * node);
  const size = Math.min(14, node * 0.9 + 2, (3.3 * node) / String(ranks - 1).length);
  if (size > 8) scene.text(x, y + size * 0.35, name, { size, weight: 600 });
  else if (Number(name) % every(ranks, free) === 0) rankNamed(scene, [x, y], middle, node, name, labels);
}

/** Write the number of a small rank beside it: outside of a circle, else below. */
function rankNamed(scene, [x, y], middle, node, name, labels) {
  const out = middle ? [x - middle[0], y - middle[1]] : [0, 1];
  const far = Math.hypot(...out) || 1;
  const [u, v] = [x + (out[0] / far) * (node + 9), y + (out[1] / far) * (node + 9)];
  if (labels.claim(u, v, 4 + 6 * name.length, 11)) scene.text(u, v + 3.5, name, { size: 10, halo: true });
}

/** Draw the other nodes of a level as boxes, with their names, or their numbers, where all of these fit. */
function boxesDrawn(scene, { at, node }, names, labels) {
  const kinds = new Set(names.map((one) => one.replace(/\d.*/, "")));
  const short = (one) => (kinds.size === 1 ? one.replace(/^\D+(?=\d)/, "") : one);
  const forms = node > 7 || names.length === 1 ? [(one) => one, short] : [];
  const text = forms.find((form) =>
    labels.claimAll(
      names.map((one) => [...at.get(one), boxWidth(form(one)), 22]),
      scene.width,
    ),
  );
  for (const name of names) {
    const [x, y] = at.get(name);
    const [w, h] = text ? [boxWidth(text(name)), 22] : [2, 2].map((one) => one * Math.max(3, Math.min(7, node)));
    const style = { fill: "--box", stroke: "--ink", width: 1.5, round: text ? 5 : 2 };
    scene.rect(x - w / 2, y - h / 2, w, h, style, { kind: "node", name });
    if (text) scene.text(x, y + 4.5, text(name), { size: 12, weight: 600 });
    else labels.take(x, y, w, h);
  }
}

const boxWidth = (text) => Math.max(26, 12 + 6.6 * text.length);

/** Write how many messages a link carries, on it or beside it, where there is room. */
function loadDrawn(scene, { a, b, bend, load }, labels) {
  const via = [(a[0] + b[0]) / 2 + (b[1] - a[1]) * bend, (a[1] + b[1]) / 2 - (b[0] - a[0]) * bend];
  const text = `${load}`;
  const [weight, fill] = load > 1 ? [700, "--wrong"] : [400, "--ink"];
  const far = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
  const beside = [BESIDE, -BESIDE].map((by) => [((b[1] - a[1]) / far) * by, ((a[0] - b[0]) / far) * by]);
  const [x, y] = between(a, via, b, 0.5);
  const spots = [...PLACES.map((u) => between(a, via, b, u)), ...beside.map(([dx, dy]) => [x + dx, y + dy])];
  const free = spots.find(([u, v]) => labels.claim(u, v, 5 + 7 * text.length, 14));
  if (free) scene.text(free[0], free[1] + 4, text, { size: 12, halo: true, weight, fill });
}

// --- in words

/** Return how many messages of a step a link carries. */
const loadTold = (load) =>
  load > 1 ? `${load} messages \u2013 contention` : load ? "1 message" : "no message in this step";

const linkSentence = (network, link, load) => `${network.links[link] ?? `link ${link}`}: ${loadTold(load)}`;

/** Return how many links have contention, in a sentence without its full stop. */
function contentionTold(network, carried) {
  const busy = [...carried.values()].filter((one) => one.length > 1).length;
  const contended = busy ? `${count(busy, "link")} with contention` : "no link carries two messages";
  return `${contended}; ${count(network.links.length - carried.size, "link")} unused`;
}

/** Return the links that messages of a step cross, the busiest first, as buttons. */
function linkPanel(network, messages, choose) {
  const carried = network.carried(messages);
  const loads = [...carried].map(([link, own]) => ({ link, load: own.length })).sort((a, b) => b.load - a.load);
  const most = Math.max(1, loads[0]?.load ?? 1);
  const list = cut(element("ul", { className: "links" }), loads, ({ link, load }) => {
    const bar = element("span", { className: "bar" });
    bar.style.width = `${(100 * load) / most}%`;
    const name = element("code", {}, network.links[link] ?? `link ${link}`);
    const made = element("button", { type: "button" }, name, element("span", {}, loadTold(load)), bar);
    made.addEventListener("click", () => choose(link));
    return element("li", { className: load > 1 ? "contended" : "" }, made);
  });
  return element("div", {}, element("p", {}, `${contentionTold(network, carried)}.`), list);
}

/** Return what is known of a link: its messages of this step, as buttons, and how many it carries in all. */
function linkDetails(network, replay, { position, link }, choose) {
  const own = network.carried(replay.messages(position)).get(link) ?? [];
  const all = network.history(link, replay.places);
  const most = Math.max(0, ...all);
  const made = element("div", {});
  const said = terms([
    ["this step", loadTold(own.length)],
    ["whole run", count(all.reduce((a, b) => a + b, 0), "message")],
    ["fullest step", most > 1 ? `${most} messages, first at step ${all.indexOf(most) + 1}` : ""],
  ]);
  made.append(said, messageList({ messages: own }, position, choose));
  return made;
}
