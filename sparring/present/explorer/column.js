// One run on the page: its picture, its copies, and what people point at in them.

/** One run on the page: its picture and its copies. */
class Column {
  constructor(explorer, replay, number) {
    Object.assign(this, { explorer, replay, number, cursor: null, shapes: 0 });
    this.heading = element("h2", { hidden: explorer.replays.length < 2 }, replay.heading || `run ${number + 1}`);
    this.text = element("div", { className: "work", hidden: true });
    this.picture = element("div", { className: "picture" });
    this.grid = element("div", {
      className: "copies",
      tabIndex: 0,
      role: "application",
      "aria-label": "copies: a row a rank, a column a chunk; arrow keys move, Enter shows",
    });
    this.legend = element("p", { className: "legend" });
    const shares = [
      ["part", "a part of what it must hold"],
      ["full", "all of it"],
    ].map(([name, said]) => element("span", {}, element("i", { className: `cell ${name}` }), said));
    this.holds = element(
      "figure",
      {},
      element("figcaption", {}, "Copies: a row a rank, a column a chunk"),
      this.grid,
      element("p", { className: "legend" }, ...shares),
    );
    this.root = element(
      "section",
      { className: "run", "data-run": String(number) },
      this.heading,
      this.text,
      element(
        "div",
        { className: "pair" },
        element("div", { className: "view" }, this.picture, this.legend),
        this.holds,
      ),
    );
    for (const place of [this.picture, this.grid]) this.point(place);
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.grid.addEventListener("focus", () => this.move(0, 0));
    this.grid.addEventListener("blur", () => this.leave());
  }

  /** How far below the top of the page the picture is. */
  get top() {
    return this.picture.getBoundingClientRect().top + scrollY;
  }

  get shown() {
    const { position, chosen, total } = this.explorer.state;
    return new Shown(this.replay, position, {
      chosen: chosen?.run === this.number ? chosen : null,
      waits: this.explorer.waits(this.number),
      total,
      room: this.explorer.room,
      network: this.explorer.network,
    });
  }

  render() {
    const { view } = this.explorer.state;
    const shown = this.shown;
    const place = shown.ended ? null : this.replay.place(shown.position);
    const text = place?.stage.text || (place?.local ? placeName(place) : "");
    this.text.textContent = shown.ended ? "This run has ended." : text;
    this.text.hidden = !this.text.textContent;
    this.holds.hidden = !shown.copies;
    this.widths = [Math.max(240, this.picture.clientWidth), Math.max(200, this.holds.clientWidth)];
    const scene = VIEWS[view][1](shown, this.widths[0]);
    scene.draw(this.picture, `${VIEWS[view][0]}, ${this.explorer.told?.textContent ?? ""}`);
    this.shapes = scene.shapes.length;
    if (shown.copies) this.renderCopies(shown);
    this.showLegend(scene);
  }

  renderCopies(shown = this.shown) {
    const scene = copiesPicture(
      shown,
      this.widths[1],
      this.cursor ?? (shown.chosen?.kind === "cell" ? shown.chosen : null),
    );
    scene.draw(this.grid, "copies");
    this.shapes += scene.shapes.length;
  }

  /** Say what the arrows mean that are there. */
  showLegend(scene) {
    const looks = [...new Set(scene.shapes.filter((one) => one.kind === "arrow").map((one) => one.look))];
    const names = {
      adds: "receiver adds",
      overwrites: "receiver overwrites",
      plain: "message",
      wrong: LOOKS.wrong,
      missing: "not sent",
      expected: "on the page only",
      waits: "waits for",
      carries: "link with one message",
      contended: "link with several: contention",
      idle: "link without a message",
    };
    this.legend.replaceChildren(...looks.map((look) => element("span", {}, swatch(look), names[look])));
  }

  /** Focus what stands for an item again, after it was drawn anew. */
  focus({ position, index, link }) {
    for (const one of this.picture.querySelectorAll("[tabindex]")) {
      const { item } = one;
      if (item?.position === position && item.index === index && item.link === link) one.focus({ preventScroll: true });
    }
  }

  // --- pointing

  point(place) {
    place.addEventListener("pointermove", (event) =>
      this.explorer.hint(this.tell(this.itemAt(event)), event.clientX, event.clientY),
    );
    place.addEventListener("pointerleave", () => this.explorer.hint(""));
    place.addEventListener("click", (event) => this.pick(this.itemAt(event)));
    place.addEventListener("focusin", (event) => {
      const { left, bottom } = event.target.getBoundingClientRect();
      if (event.target.item) this.explorer.hint(this.tell(event.target.item), left, bottom);
    });
    place.addEventListener("focusout", () => this.explorer.hint(""));
    place.addEventListener("keydown", (event) => {
      if (!event.target.item || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      this.pick(event.target.item);
    });
  }

  /** Return what stands at the point of an event: of an element of SVG itself, of a canvas by its scene. */
  itemAt({ target, offsetX, offsetY }) {
    if (target.scene) return target.scene.at(offsetX, offsetY);
    for (let one = target; one && one !== this.root; one = one.parentElement) if (one.item) return one.item;
    return null;
  }

  tell(item) {
    if (!item) return "";
    const messages = this.replay.messages(item.position);
    if (item.kind === "message") return sentence(messages[item.index]);
    if (item.kind === "node") return this.nodeTold(item.name);
    const { network } = this.explorer;
    if (item.kind === "link") return linkSentence(network, item.link, network.carried(messages).get(item.link)?.length);
    const content = this.replay.content(item.position, item.rank, item.chunk);
    const support = content?.support ? `entries ${ranges(content.support) || "none"}` : "";
    const values = content?.values?.length ? `values ${content.values.slice(0, 12).join(" ")}` : "";
    return [copySentence(this.replay, item.position, item.rank, item.chunk), support, values]
      .filter(Boolean)
      .join("; ");
  }

  nodeTold(name) {
    if (this.explorer.network.isRank(name)) return `rank ${name}`;
    return /^\d+$/.test(name) ? `node ${name}, without a rank` : name;
  }

  pick(item) {
    if (item && item.kind !== "node") this.explorer.set({ chosen: { ...item, run: this.number } });
  }

  // --- the copies by keyboard

  key(event) {
    const moves = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (event.key === "Escape") this.grid.blur();
    else if (event.key === "Enter" && this.cursor)
      this.pick({ kind: "cell", position: this.shown.position, ...this.cursor });
    else if (moves[event.key]) this.move(...moves[event.key]);
    else return;
    event.preventDefault();
  }

  move(down, right) {
    const { copies, position } = this.shown;
    if (!copies) return;
    const within = (n, most) => Math.max(0, Math.min(most - 1, n));
    const { rank, chunk } = this.cursor ?? { rank: 0, chunk: 0 };
    this.cursor = { rank: within(rank + down, copies.ranks), chunk: within(chunk + right, copies.chunks) };
    this.renderCopies();
    const said = this.tell({ kind: "cell", position, ...this.cursor });
    const { left, bottom } = this.grid.getBoundingClientRect();
    this.explorer.hint(said, left, bottom);
    this.explorer.live.textContent = said;
  }

  leave() {
    this.cursor = null;
    this.explorer.hint("");
    if (this.shown.copies) this.renderCopies();
  }
}
