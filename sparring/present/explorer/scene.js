// A scene: shapes that are drawn as SVG where there are few, and on a canvas where SVG would be too slow.

const SVG = "http://www.w3.org/2000/svg";
/** So many shapes, and so many arrows among them, are drawn as SVG. */
const MOST_SVG = 2000;
const MOST_ARROWS = 120;
/** So many pixels from its line an arrow can be pointed at. */
const REACH = 6;
/** How messages and links look: the colour is one of explorer.css, and nothing is said by colour alone. */
const STYLES = {
  adds: { colour: "--adds", dash: [], head: "filled" },
  overwrites: { colour: "--overwrites", dash: [], head: "open" },
  plain: { colour: "--plain", dash: [], head: "filled" },
  wrong: { colour: "--wrong", dash: [8, 4], head: "filled" },
  missing: { colour: "--missing", dash: [2, 5], head: "cross" },
  expected: { colour: "--expected", dash: [12, 3, 2, 3], head: "open" },
  waits: { colour: "--wrong", dash: [7, 4], head: "filled" },
  idle: { colour: "--soft", dash: [], head: "filled" },
  carries: { colour: "--adds", dash: [], head: "filled" },
  contended: { colour: "--wrong", dash: [9, 3], head: "filled" },
};

/** Return the look of a message. */
const lookOf = ({ look, adds }) => look || (adds === null ? "plain" : adds ? "adds" : "overwrites");

/** Return an element of HTML with properties and children; text of documents comes in as text only. */
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  for (const [name, value] of Object.entries(properties))
    if (name.includes("-") || name === "role") made.setAttribute(name, value);
  made.append(...children.filter((one) => one !== null && one !== undefined && one !== ""));
  return made;
}

/** Return an element of SVG with attributes. */
function figure(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(name, value);
  return made;
}

class Scene {
  constructor(width, height) {
    Object.assign(this, { width, height, shapes: [] });
  }

  /** Add a rectangle; ``item`` is what it stands for when somebody points at it. */
  rect(x, y, w, h, style, item = null) {
    this.shapes.push({ kind: "rect", x, y, w, h, style, item });
  }

  text(x, y, text, style = {}) {
    this.shapes.push({ kind: "text", x, y, text, style });
  }

  circle(x, y, r, style, item = null) {
    this.shapes.push({ kind: "circle", x, y, r, style, item });
  }

  line(points, style) {
    this.shapes.push({ kind: "line", points, style });
  }

  /** Add an arrow from a to b that swings out by ``bend``; ``name`` says in words what it is. */
  arrow(
    a,
    b,
    { bend = 0, look = "plain", width = 1.6, tip = 1, faint = false, item = null, name = "", chosen = false },
  ) {
    const via = [(a[0] + b[0]) / 2 + (b[1] - a[1]) * bend, (a[1] + b[1]) / 2 - (b[0] - a[0]) * bend];
    this.shapes.push({ kind: "arrow", a, b, via, look, width, tip, faint, item, name, chosen });
  }

  /** Add a picture whose pixels, one a cell, are blown up to w times h. */
  pixels(x, y, w, h, columns, rows, colour, item) {
    this.shapes.push({ kind: "pixels", x, y, w, h, columns, rows, colour, item });
  }

  /** Draw the scene into ``place``, in SVG or on a canvas. */
  draw(place, name) {
    const of = (kind) => this.shapes.filter((one) => one.kind === kind).length;
    const heavy = this.shapes.length > MOST_SVG || of("arrow") > MOST_ARROWS || of("pixels");
    const drawn = heavy ? onCanvas(this, name) : asSvg(this, name);
    place.replaceChildren(drawn);
    return drawn;
  }

  /** Return the item at a point: of the last shape that was drawn there, or of arrows side by side the nearest. */
  at(x, y) {
    let [nearest, least] = [null, REACH];
    for (const shape of this.shapes.toReversed()) {
      if (shape.item && shape.kind === "arrow") {
        const far = Math.min(...along(shape).map(([u, v]) => Math.hypot(x - u, y - v)));
        if (far < least) [nearest, least] = [shape.item, far];
        continue;
      }
      const item = hit(shape, x, y);
      if (item) return nearest ?? item;
    }
    return nearest;
  }
}

/** Return the item of a shape that is no arrow if the point is on it. */
function hit(shape, x, y) {
  if (!shape.item) return null;
  if (shape.kind === "circle") return Math.hypot(x - shape.x, y - shape.y) <= shape.r ? shape.item : null;
  if (x < shape.x || y < shape.y || x >= shape.x + shape.w || y >= shape.y + shape.h) return null;
  if (shape.kind === "rect") return shape.item;
  return shape.item(
    Math.floor(((x - shape.x) / shape.w) * shape.columns),
    Math.floor(((y - shape.y) / shape.h) * shape.rows),
  );
}

/** Return points on an arrow, close enough to be pointed at. */
function along({ a, via, b }) {
  const n = Math.max(2, Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / 6));
  return Array.from({ length: n + 1 }, (_, i) => between(a, via, b, i / n));
}

/** Return the point of a quadratic curve at u. */
function between(a, via, b, u) {
  return [0, 1].map((i) => (1 - u) ** 2 * a[i] + 2 * u * (1 - u) * via[i] + u ** 2 * b[i]);
}

/** Return the corners of an arrow's head, which points the way in which the curve arrives. */
function headOf({ via, b, width, tip }) {
  const far = Math.hypot(b[0] - via[0], b[1] - via[1]) || 1;
  const [ux, uy] = [(b[0] - via[0]) / far, (b[1] - via[1]) / far];
  const [long, wide] = [(6 + width * 1.5) * tip, (2.5 + width) * tip];
  const foot = [b[0] - ux * long, b[1] - uy * long];
  return [b, [foot[0] - uy * wide, foot[1] + ux * wide], [foot[0] + uy * wide, foot[1] - ux * wide]];
}

/** Return the two strokes of the cross on a message that was not sent. */
function crossOf(shape) {
  const [x, y] = between(shape.a, shape.via, shape.b, 0.7);
  return [
    [
      [x - 5, y - 5],
      [x + 5, y + 5],
    ],
    [
      [x - 5, y + 5],
      [x + 5, y - 5],
    ],
  ];
}

const path = (points, closed = false) =>
  `M${points.map((one) => one.map((n) => n.toFixed(1)).join(" ")).join("L")}${closed ? "Z" : ""}`;

// --- SVG

function asSvg(scene, name) {
  const { width, height } = scene;
  const root = figure("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": name });
  for (const shape of scene.shapes) root.append(SVG_OF[shape.kind](shape));
  return root;
}

const colour = (name) => (name?.startsWith("--") ? `var(${name})` : name);

function painted(style) {
  return {
    fill: "none",
    style: Object.entries({ fill: colour(style.fill), stroke: colour(style.stroke), opacity: style.opacity })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}:${value}`)
      .join(";"),
    "stroke-width": style.width ?? 1,
    "stroke-dasharray": style.dash?.join(" "),
  };
}

const SVG_OF = {
  rect: ({ x, y, w, h, style, item }) =>
    carrying(figure("rect", { x, y, width: w, height: h, rx: style.round, ...painted(style) }), item),
  circle: ({ x, y, r, style, item }) => carrying(figure("circle", { cx: x, cy: y, r, ...painted(style) }), item),
  line: ({ points, style }) => figure("path", { d: path(points), ...painted(style) }),
  text: ({ x, y, text, style }) => {
    const made = figure("text", {
      x,
      y,
      "text-anchor": style.anchor ?? "middle",
      "font-size": style.size ?? 12,
      "font-weight": style.weight,
    });
    made.setAttribute("style", `fill:${colour(style.fill ?? "--ink")};opacity:${style.opacity ?? 1}`);
    if (style.halo) made.classList.add("halo");
    made.textContent = text;
    return made;
  },
  arrow: (shape) => {
    const { colour: ink, dash, head } = STYLES[shape.look];
    const stroke = `stroke:var(${ink});fill:none`;
    const made = figure("g", {
      class: `arrow ${shape.look}${shape.faint ? " faint" : ""}${shape.chosen ? " chosen" : ""}`,
    });
    const d = `M${shape.a.join(" ")}Q${shape.via.join(" ")} ${shape.b.join(" ")}`;
    made.append(figure("path", { d, class: "reach" }));
    made.append(figure("path", { d, style: stroke, "stroke-width": shape.width, "stroke-dasharray": dash.join(" ") }));
    const tip = head === "open" ? "--paper" : ink;
    made.append(
      figure("path", {
        d: path(headOf(shape), true),
        style: `fill:var(${tip});stroke:var(${ink})`,
        "stroke-width": 1.3,
      }),
    );
    if (head === "cross")
      made.append(
        figure("path", {
          d: crossOf(shape)
            .map((one) => path(one))
            .join(""),
          style: stroke,
          "stroke-width": 2.4,
        }),
      );
    if (!shape.item) return made;
    for (const [key, value] of Object.entries({
      tabindex: shape.faint ? -1 : 0,
      role: "button",
      "aria-label": shape.name,
    }))
      made.setAttribute(key, value);
    return carrying(made, shape.item);
  },
};

/** Put an item on an element, where events find it. */
function carrying(made, item) {
  if (item) made.item = item;
  return made;
}

// --- canvas

function onCanvas(scene, name) {
  const scale = globalThis.devicePixelRatio || 1;
  const made = element("canvas", {
    width: Math.round(scene.width * scale),
    height: Math.round(scene.height * scale),
    role: "img",
    "aria-label": name,
  });
  Object.assign(made.style, { width: `${scene.width}px`, height: `${scene.height}px` });
  const pen = made.getContext("2d");
  pen.scale(scale, scale);
  for (const shape of scene.shapes) {
    pen.globalAlpha = shape.style?.opacity ?? (shape.faint ? 0.25 : 1);
    CANVAS_OF[shape.kind](pen, shape);
  }
  made.scene = scene;
  return made;
}

/** The colours of explorer.css as they stand in the present theme, by their names. */
const inks = new Map();

/** Return a colour by its name in explorer.css; looked up once a theme, since browsers lay the page out for that. */
function ink(name) {
  if (!name?.startsWith("--")) return name;
  if (!inks.has(name)) {
    const probe = document.body.appendChild(element("i", { hidden: true }));
    probe.style.color = `var(${name})`;
    inks.set(name, getComputedStyle(probe).color);
    probe.remove();
  }
  return inks.get(name);
}

function paint(pen, style) {
  if (style.fill && style.fill !== "none") {
    pen.fillStyle = ink(style.fill);
    pen.fill();
  }
  if (!style.stroke || style.stroke === "none") return;
  Object.assign(pen, { strokeStyle: ink(style.stroke), lineWidth: style.width ?? 1 });
  pen.setLineDash(style.dash ?? []);
  pen.stroke();
}

function trace(pen, points, closed = false) {
  pen.beginPath();
  points.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  if (closed) pen.closePath();
}

const CANVAS_OF = {
  rect(pen, { x, y, w, h, style }) {
    if (!style.stroke) {
      pen.fillStyle = ink(style.fill);
      pen.fillRect(x, y, w, h);
      return;
    }
    pen.beginPath();
    pen.rect(x, y, w, h);
    paint(pen, style);
  },
  circle(pen, { x, y, r, style }) {
    pen.beginPath();
    pen.arc(x, y, r, 0, 2 * Math.PI);
    paint(pen, style);
  },
  line(pen, { points, style }) {
    trace(pen, points);
    paint(pen, style);
  },
  text(pen, { x, y, text, style }) {
    pen.font = `${style.weight ?? 400} ${style.size ?? 12}px system-ui, sans-serif`;
    pen.textAlign = { start: "start", end: "end" }[style.anchor] ?? "center";
    pen.fillStyle = ink(style.fill ?? "--ink");
    if (style.halo) {
      Object.assign(pen, { strokeStyle: ink("--paper"), lineWidth: 4, lineJoin: "round" });
      pen.setLineDash([]);
      pen.strokeText(text, x, y);
    }
    pen.fillText(text, x, y);
  },
  arrow(pen, shape) {
    const { colour: name, dash, head } = STYLES[shape.look];
    const style = { stroke: name, width: shape.width, dash };
    pen.beginPath();
    pen.moveTo(...shape.a);
    pen.quadraticCurveTo(...shape.via, ...shape.b);
    if (shape.chosen) paint(pen, { stroke: "--focus", width: shape.width + 8 });
    if (shape.chosen) pen.globalAlpha = 1;
    paint(pen, style);
    if (shape.faint && shape.tip < 1) return;
    trace(pen, headOf(shape), true);
    paint(pen, { fill: head === "open" ? "--paper" : name, stroke: name });
    if (head !== "cross") return;
    for (const stroke of crossOf(shape)) {
      trace(pen, stroke);
      paint(pen, { stroke: name, width: 2.4 });
    }
  },
  pixels(pen, { x, y, w, h, columns, rows, colour: shade }) {
    const small = new OffscreenCanvas(columns, rows);
    const image = new ImageData(columns, rows);
    const words = new Uint32Array(image.data.buffer);
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) words[row * columns + column] = shade(column, row);
    small.getContext("2d").putImageData(image, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(small, x, y, w, h);
  },
};
