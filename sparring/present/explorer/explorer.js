// The explorer: puts controls, pictures and panels together, and keeps them at one position.

const VIEWS = {
  spacetime: ["Space-time", spacetime],
  ring: ["Ring", ring],
  matrix: ["Matrix", matrix],
  topology: ["Topology", topologyPicture],
};
const SPEEDS = [0.5, 1, 2, 4, 8];
const THEMES = ["auto", "dark", "light"];
const KINDS = {
  algorithm: "algorithm",
  failure: "refuted check",
  world: "simulated run",
  schedule: "schedule file",
  trace: "trace",
  dumps: "flight recorder",
};
/** The outlines of the buttons' signs, in a square of 16. */
const ICONS = {
  first: "M3 3h2v10h-2zM13 3v10l-7-5z",
  back: "M11 3v10l-7-5z",
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 3h3v10h-3zM9 3h3v10h-3z",
  forward: "M5 3v10l7-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
};
/** So many pixels below a picture its legend takes. */
const LEGEND = 40;
/** From so many pixels on lists stand beside the pictures of one run, or of two. */
const WIDE = [900, 1200];

/** Return the sign of a button. */
function icon(name) {
  const made = figure("svg", {
    viewBox: "0 0 16 16",
    width: 16,
    height: 16,
    "aria-hidden": "true",
    fill: "currentColor",
  });
  made.append(figure("path", { d: ICONS[name] }));
  return made;
}

/** Return a button with a sign or a text, which also says its key. */
function button(text, name, act) {
  const shown = ICONS[text] ? icon(text) : text;
  const made = element("button", { type: "button", title: name, "aria-label": name }, shown);
  made.addEventListener("click", act);
  return made;
}

class Explorer {
  constructor(root, file) {
    speakOf(file);
    Object.assign(this, { root, document: file, replays: file.runs.map((run) => new Replay(run, file.ranks)) });
    this.last = Math.max(0, ...this.replays.map((one) => one.length));
    this.state = { position: 0, view: "spacetime", chosen: null, cell: null, finding: null, total: false, speed: 1 };
    this.settings = new URLSearchParams(location.search);
    this.network = file.topology ? new Network(file.topology, file.ranks) : null;
    this.viewNames = Object.keys(VIEWS).filter((one) => this.network || one !== "topology");
    this.build();
    this.open();
    this.listen();
    this.render();
  }

  /** The longest run, whose stages and steps name the positions. */
  get leading() {
    return this.replays.reduce((a, b) => (b.length > a.length ? b : a), this.replays[0]);
  }

  /** Return the sets of ranks that a run's copies hold at a position: for each rank and chunk, or null. */
  holds(position, run = 0) {
    const copies = this.replays[run].copies(position);
    const each = (n, make) => Array.from({ length: n }, (_, i) => make(i));
    return copies && each(copies.ranks, (r) => each(copies.chunks, (c) => copies.held(r, c)));
  }

  /** Return how many shapes the pictures have at present. */
  drawn() {
    return this.columns.map((one) => one.shapes).reduce((a, b) => a + b, 0);
  }

  /** Whether there is room beside the pictures. */
  get wide() {
    return innerWidth >= WIDE[this.replays.length > 1 ? 1 : 0];
  }

  // --- what the page is made of

  build() {
    this.columns = this.replays.map((replay, i) => new Column(this, replay, i));
    this.inspector = element("section", { className: "inspector", "aria-label": "details" });
    this.messages = element("details", { className: "step", open: this.wide });
    this.links = element("section", { className: "network" });
    this.live = element("div", { className: "unseen", "aria-live": "polite" });
    this.tip = element("div", { className: "tip", role: "tooltip", hidden: true });
    this.told = element("output", { className: "told" });
    const runs = element("div", { className: `runs of${this.columns.length}` }, ...this.columns.map((one) => one.root));
    const side = element("aside", {}, this.inspector, this.messages, this.links);
    this.root.replaceChildren(
      this.header(),
      this.findingsPart(),
      this.controls(),
      element("div", { className: "body" }, runs, side),
      about(this.document) ?? "",
      this.live,
      this.tip,
    );
  }

  header() {
    const { title, kind, ranks } = this.document;
    const sums = [KINDS[kind] ?? kind, count(ranks, "rank"), count(this.last, "step")].join(" \u00b7 ");
    this.themeButton = button("", "", () => this.turnTheme());
    return element(
      "header",
      {},
      element("div", {}, element("h1", {}, title), element("p", {}, sums)),
      this.themeButton,
    );
  }

  findingsPart() {
    const { findings = [] } = this.document;
    this.findings = element("section", { className: "found" });
    if (!findings.length) return this.findings;
    const list = findingList(findings, (i) => {
      this.choose(i);
      this.set({});
    });
    this.findings.append(element("h2", {}, findings.length === 1 ? "Finding" : "Findings"), list);
    return this.findings;
  }

  /** Return the bar that stays in sight: steps, views, slider, stages, and where one is. */
  controls() {
    this.slider = element("input", { type: "range", min: 0, max: this.last, step: 1, "aria-label": "step" });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    const row = element("div", { className: "row" }, this.stepButtons(), this.viewButtons());
    const parts = [row, this.slider, this.stages(), this.told];
    return element("nav", { className: "controls", "aria-label": "controls" }, ...parts);
  }

  stepButtons() {
    const speeds = SPEEDS.map((one) => new Option(`${one}\u00d7`, one, one === 1, one === 1));
    const speed = element("select", { title: "speed", "aria-label": "steps a second" }, ...speeds);
    speed.addEventListener("change", () => this.setSpeed(Number(speed.value)));
    this.playButton = button("play", "play (space)", () => this.play());
    return element(
      "div",
      { className: "steps", role: "group", "aria-label": "steps" },
      button("first", "first (Home)", () => this.go(0)),
      button("back", "back (left arrow)", () => this.go(this.state.position - 1)),
      this.playButton,
      button("forward", "forward (right arrow)", () => this.go(this.state.position + 1)),
      button("last", "last (End)", () => this.go(this.last)),
      speed,
    );
  }

  viewButtons() {
    this.views = this.viewNames.map((view, i) => {
      const [name] = VIEWS[view];
      return Object.assign(
        button(name, `${name} (${i + 1})`, () => this.set({ view })),
        { view },
      );
    });
    this.totalBox = element("input", { type: "checkbox" });
    this.totalBox.addEventListener("change", () => this.set({ total: this.totalBox.checked }));
    this.totalLabel = element("label", { className: "total" }, this.totalBox, " all steps so far");
    const parts = [...this.views, this.totalLabel];
    return element("div", { className: "views", role: "group", "aria-label": "views" }, ...parts);
  }

  /** Return a button for each stage, as long as the stage is on the slider. */
  stages() {
    const made = element("div", { className: "stages", role: "group", "aria-label": "stages" });
    const firsts =
      this.leading?.places.map((place, k) => ({ place, k })).filter(({ place }) => place.within === 0) ?? [];
    if (firsts.length > 1)
      for (const { place, k } of firsts) {
        const name = place.stage.heading || place.stage.page || (place.local ? "local work" : `stage ${place.number}`);
        const jump = element(
          "button",
          { type: "button", title: name, className: place.local ? "local" : "" },
          element("span", {}, name),
        );
        jump.style.flexGrow = place.stage.steps?.length || 1;
        jump.number = place.number;
        jump.addEventListener("click", () => this.go(k + 1));
        made.append(jump);
      }
    return made;
  }

  // --- positions

  /** Begin where the address says, or else at the first finding, or else before the first step. */
  open() {
    const { findings = [] } = this.document;
    if (findings.length) this.choose(0, this.wide);
    this.readHash();
  }

  readHash() {
    const hash = new URLSearchParams(location.hash.slice(1));
    for (const name of ["theme", "embed"]) if (hash.has(name)) this.settings.set(name, hash.get(name));
    if (hash.has("step")) this.state.position = this.within(Number(hash.get("step")));
    if (this.viewNames.includes(hash.get("view"))) this.state.view = hash.get("view");
    if (hash.has("step") && this.state.chosen?.position !== this.state.position) this.state.chosen = null;
    this.root.classList.toggle("embed", this.settings.has("embed"));
    this.setTheme(this.settings.get("theme"));
  }

  /** Write position and view into the address, a little later: browsers allow only so many changes. */
  writeHash() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => {
      const hash = new URLSearchParams({ step: this.state.position, view: this.state.view });
      for (const name of ["theme", "embed"]) if (this.settings.has(name)) hash.set(name, this.settings.get(name));
      const text = `#${hash}`.replace("embed=", "embed").replace("embed&", "embed&");
      if (text !== location.hash) history.replaceState(null, "", text);
    }, 150);
  }

  within(position) {
    return Math.max(0, Math.min(this.last, Math.trunc(position) || 0));
  }

  go(position) {
    const at = this.within(position);
    if (at !== this.state.position) this.set({ position: at, chosen: this.followed(at) });
  }

  /** Return what stays chosen at another position: a link, or a copy where there is one. */
  followed(position) {
    const { chosen } = this.state;
    if (chosen?.kind === "link") return { ...chosen, position };
    if (chosen?.kind !== "cell") return null;
    return chosen.chunk < (this.replays[chosen.run].copies(position)?.chunks ?? 0) ? { ...chosen, position } : null;
  }

  set(changes) {
    Object.assign(this.state, changes);
    this.render();
    this.writeHash();
  }

  /** Choose a finding: go to its step, and show the link that it names, or else the message that differs there. */
  choose(i, show = true) {
    const { step = null, run = 0, waits = [], link = "" } = this.document.findings[i];
    const position = step === null ? this.state.position : this.within(step + 1);
    const wrong = this.replays[run]?.messages(position).find((one) => one.look);
    const met = link && this.network ? this.network.links.indexOf(link) : -1;
    const found = met < 0 ? wrong && { kind: "message", index: wrong.index } : { kind: "link", link: met };
    Object.assign(this.state, { finding: i, position, chosen: show && found ? { ...found, run, position } : null });
    if (waits.length) this.state.view = "ring";
    if (met >= 0) this.state.view = "topology";
  }

  /** Return the waits that the chosen finding shows at this position, in a run. */
  waits(run) {
    const finding = this.document.findings?.[this.state.finding];
    if (!finding?.waits || (finding.run ?? 0) !== run) return [];
    const there = (finding.step ?? null) === null || this.within(finding.step + 1) === this.state.position;
    return there ? finding.waits : [];
  }

  // --- play

  play() {
    if (this.timer) return this.stop();
    if (this.state.position === this.last) this.go(0);
    this.timer = setInterval(() => {
      if (this.state.position === this.last) this.stop();
      else this.go(this.state.position + 1);
    }, 1000 / this.state.speed);
    this.showPlaying();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.showPlaying();
  }

  setSpeed(speed) {
    this.state.speed = speed;
    if (!this.timer) return;
    this.stop();
    this.play();
  }

  showPlaying() {
    const name = this.timer ? "pause" : "play";
    Object.assign(this.playButton, { title: `${name} (space)`, ariaLabel: `${name} (space)` });
    this.playButton.replaceChildren(icon(name));
  }

  // --- themes

  turnTheme() {
    const now = this.settings.get("theme") ?? "auto";
    this.settings.set("theme", THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
    this.setTheme(this.settings.get("theme"));
    this.set({});
  }

  setTheme(theme) {
    const known = THEMES.includes(theme) ? theme : "auto";
    document.documentElement.dataset.theme = known;
    inks.clear();
    const text = { auto: "\u25d0 auto", dark: "\u25cf dark", light: "\u25cb light" }[known];
    Object.assign(this.themeButton, {
      textContent: text,
      title: "colours: as the system has them, dark, light",
      ariaLabel: `colours: ${known}`,
    });
  }

  // --- what people do

  listen() {
    addEventListener("hashchange", () => {
      this.readHash();
      this.render();
    });
    addEventListener("keydown", (event) => this.key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      inks.clear();
      this.render();
    });
    addEventListener("resize", () => this.render());
  }

  key(event) {
    const { target, key } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || target.closest("input:not([type=range]), select, .copies"))
      return;
    const acts = target.closest("button, summary, [role=button]");
    if (acts && (key === " " || key === "Enter")) return;
    const act = {
      ArrowRight: () => this.go(this.state.position + 1),
      ArrowLeft: () => this.go(this.state.position - 1),
      Home: () => this.go(0),
      End: () => this.go(this.last),
      " ": () => this.play(),
      Escape: () => this.set({ chosen: null }),
    }[key];
    const view = /^[1-9]$/.test(key) ? this.viewNames[key - 1] : null;
    if (!act && !view) return;
    event.preventDefault();
    if (view) this.set({ view });
    else act();
  }

  /** Show a short text at a point, or nothing. */
  hint(text, x = 0, y = 0) {
    this.tip.hidden = !text;
    if (!text) return;
    this.tip.textContent = text;
    const { offsetWidth: w, offsetHeight: h } = this.tip;
    this.tip.style.left = `${Math.max(4, Math.min(innerWidth - w - 8, x + 12))}px`;
    this.tip.style.top = `${y + h + 20 > innerHeight ? y - h - 8 : y + 14}px`;
  }

  // --- showing

  render() {
    const { position, view, total } = this.state;
    this.root.classList.toggle("narrow", !this.wide);
    this.hint("");
    this.room = innerHeight - (this.columns[0]?.top ?? 0) - LEGEND;
    const focus = document.activeElement?.item && {
      ...document.activeElement.item,
      run: Number(document.activeElement.closest("[data-run]")?.dataset.run),
    };
    for (const column of this.columns) column.render();
    if (focus) this.columns[focus.run]?.focus(focus);
    for (const one of this.views) one.setAttribute("aria-pressed", String(one.view === view));
    this.totalLabel.hidden = view !== "matrix";
    this.totalBox.checked = total;
    this.showPosition();
    this.showMessages();
    this.showInspector();
    this.showFinding();
    if (this.network) this.showLinks();
  }

  /** List the links of the position, anew where it is another: a button keeps its focus when it is pressed. */
  showLinks() {
    const { position } = this.state;
    if (this.linked === position) return;
    this.linked = position;
    const choose = (link) => this.set({ chosen: { kind: "link", run: 0, position, link } });
    this.links.replaceChildren(
      element("h2", {}, `Links of ${this.network.name}`),
      linkPanel(this.network, this.replays[0]?.messages(position) ?? [], choose),
    );
  }

  /** Mark the chosen finding, and show its waits alone. */
  showFinding() {
    this.findings.querySelectorAll(".findings > li").forEach((item, i) => {
      item.querySelector("button").setAttribute("aria-current", String(i === this.state.finding));
      const waits = item.querySelector(".waits");
      if (waits) waits.hidden = i !== this.state.finding;
    });
  }

  showPosition() {
    const { position } = this.state;
    const place = this.leading?.place(position);
    const name = position ? `Step ${position} of ${this.last}: ${placeName(place)}` : "Before the first step";
    this.slider.value = position;
    this.slider.setAttribute("aria-valuetext", name);
    this.told.textContent = this.last ? name : "No messages are known";
    this.live.textContent = this.replays
      .map((one) => [one.heading, told(one.place(position))].filter(Boolean).join(": "))
      .join(" ");
    if (this.state.view === "topology") {
      const carried = this.network.carried(this.leading?.messages(position) ?? []);
      this.live.textContent += ` ${contentionTold(this.network, carried)}.`;
    }
    for (const one of this.root.querySelectorAll(".stages button")) {
      one.setAttribute("aria-current", String(one.number === place?.number));
    }
  }

  /** List the messages of the position, anew where it is another: a button keeps its focus when it is pressed. */
  showMessages() {
    const { position } = this.state;
    if (this.listed === position) return;
    this.listed = position;
    const lists = this.replays.flatMap((replay, run) => [
      this.replays.length > 1 ? element("h3", {}, replay.heading) : null,
      messageList(replay.place(position), position, (one) => this.set({ chosen: { kind: "message", run, ...one } })),
    ]);
    const n = this.replays.map((one) => one.messages(position).length).join(" + ");
    this.messages.replaceChildren(
      element("summary", {}, `Messages of this step (${n || 0})`),
      ...lists.filter(Boolean),
    );
  }

  showInspector() {
    const { chosen } = this.state;
    this.inspector.hidden = !chosen;
    if (!chosen) return;
    const replay = this.replays[chosen.run];
    const place = replay.place(chosen.position);
    const message = chosen.kind === "message" ? place.messages[chosen.index] : null;
    const link = chosen.kind === "link";
    if (message) this.live.textContent = sentence(message);
    const close = element("button", {
      type: "button",
      className: "close",
      textContent: "\u00d7",
      "aria-label": "close (Escape)",
      title: "close (Escape)",
    });
    close.addEventListener("click", () => this.set({ chosen: null }));
    const [heading, panel] = message
      ? [`Rank ${message.src} \u2192 rank ${message.dst}`, messagePanel(message, place, this.document)]
      : link
        ? this.linkShown(replay, chosen)
        : [`Rank ${chosen.rank}, chunk ${chosen.chunk}`, copyPanel(replay, chosen.position, chosen)];
    this.inspector.replaceChildren(close, element("h2", {}, heading), panel);
  }

  /** Return the heading and the details of a link, whose messages can be chosen there. */
  linkShown(replay, chosen) {
    const choose = (one) => this.set({ chosen: { kind: "message", run: chosen.run, ...one } });
    const name = `Link ${this.network.links[chosen.link]}`.replace(" -> ", " \u2192 ");
    return [name, linkDetails(this.network, replay, chosen, choose)];
  }
}

embedded().then(
  (file) => {
    window.explorer = new Explorer(document.getElementById("explorer"), file);
  },
  (error) => {
    document
      .getElementById("explorer")
      .replaceChildren(element("p", { role: "alert" }, `This document cannot be shown: ${error.message}`));
  },
);
