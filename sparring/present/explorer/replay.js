"use strict";
// Replays a run: which messages stand at which position, and whose contributions each copy holds there.
// Position 0 is the state before the first step; position k + 1 shows place k, which is a step or a local work.

/** The bits of a set of ranks, 32 a word. */
const WORD = 32;
/** Longer states than this many words are not replayed: a page stays responsive whatever it is given. */
const MOST_WORDS = 1 << 22;
/** Every so many places a state is kept, from which those after it are replayed. */
const KEPT_EVERY = 16;

/** Return the document that stands in the page: base64 of zlib-compressed JSON. */
async function embedded() {
  const packed = Uint8Array.from(atob(document.getElementById("document").textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const envelope = JSON.parse(await new Response(stream).text());
  if (envelope.format !== "sparring-explorer" || envelope.version !== 1) {
    throw new Error(`this viewer reads sparring-explorer 1, not ${envelope.format} ${envelope.version}`);
  }
  return envelope.document;
}

/** Return a message of the document, which is a list, as an object with what is known of it. */
function named([src, dst, chunks = [], adds = null], index, details) {
  const detail = details.find((one) => one.message === index) ?? {};
  const message = { values: [], wanted: [], look: "", ...detail, src, dst, chunks, adds, index };
  return { ...message, sent: wasSent(message.look, details) };
}

/** What is missing was not sent; what the page has instead of a message was, unless that one stands beside it. */
function wasSent(look, details) {
  if (look === "expected") return !details.some((one) => one.look === "wrong" || one.look === "missing");
  return look !== "missing";
}

/** Return the places of a run, in order: each with its stage, and its step or null for local work. */
function places(run) {
  const found = [];
  (run.stages ?? []).forEach((stage, number) => {
    const steps = stage.steps?.length ? stage.steps : [null];
    steps.forEach((step, within) => {
      const messages = (step?.messages ?? []).map((m, index) => named(m, index, step.details ?? []));
      found.push({ stage, number, step, within, messages, local: step === null });
    });
  });
  return found;
}

/** The copies of one exchange: for each rank and chunk a set of ranks, or nothing where that is not known. */
class Copies {
  constructor(ranks, chunks) {
    Object.assign(this, { ranks, chunks, words: Math.ceil(ranks / WORD) });
    this.bits = new Uint32Array(ranks * chunks * this.words);
    this.known = new Uint8Array(ranks * chunks).fill(1);
  }

  static of(ranks, chunks, sets) {
    const made = new Copies(ranks, chunks);
    for (let r = 0; r < ranks; r++) {
      for (let c = 0; c < chunks; c++) for (const q of sets(r, c)) if (q < ranks) made.add(r, c, q);
    }
    return made;
  }

  copy() {
    const made = Object.create(Copies.prototype);
    return Object.assign(made, this, { bits: this.bits.slice(), known: this.known.slice(), shares: null });
  }

  at(r, c) {
    return (r * this.chunks + c) * this.words;
  }

  add(r, c, q) {
    this.bits[this.at(r, c) + (q >>> 5)] |= 1 << (q & 31);
  }

  isKnown(r, c) {
    return this.known[r * this.chunks + c] === 1;
  }

  /** Return the ranks whose contributions rank r's copy of chunk c holds, null where that is not known. */
  held(r, c) {
    if (!this.isKnown(r, c)) return null;
    const found = [];
    for (let q = 0; q < this.ranks; q++) {
      if (this.bits[this.at(r, c) + (q >>> 5)] & (1 << (q & 31))) found.push(q);
    }
    return found;
  }

  /**
   * Return the share that a copy holds of what it must hold in the end, from 0 to 1; null where not known, undefined
   * where nothing is promised.
   */
  share(r, c, goal) {
    if (!this.isKnown(r, c)) return null;
    let has = 0;
    let wants = 0;
    for (let at = this.at(r, c), end = at + this.words; at < end; at++) {
      wants += ones(goal.bits[at]);
      has += ones(goal.bits[at] & this.bits[at]);
    }
    return wants ? has / wants : undefined;
  }

  /** Return the share of all copies of each rank; worked out once, since nobody changes a state that is shown. */
  sharesOf(goal) {
    this.shares ??= Array.from({ length: this.ranks }, (_, r) => this.shareOf(r, goal));
    return this.shares;
  }

  /** Return the share of all copies of rank r for which something is promised, null where one of them is not known. */
  shareOf(r, goal) {
    let [sum, promised] = [0, 0];
    for (let c = 0; c < this.chunks; c++) {
      const share = this.share(r, c, goal);
      if (share === null) return null;
      if (share !== undefined) [sum, promised] = [sum + share, promised + 1];
    }
    return promised ? sum / promised : null;
  }

  /** Receive: unite (adds) or copy (overwrites) what ``before`` has of each chunk at the sender. */
  receive(message, before) {
    const { src, dst, chunks, adds } = message;
    if (adds === null || !chunks.length) return this.forget(dst);
    for (const c of chunks) {
      if (c >= this.chunks || src >= this.ranks || dst >= this.ranks) continue;
      const [to, from] = [this.at(dst, c), before.at(src, c)];
      for (let w = 0; w < this.words; w++) this.bits[to + w] = before.bits[from + w] | (adds ? this.bits[to + w] : 0);
      this.known[dst * this.chunks + c] =
        before.known[src * this.chunks + c] & (adds ? this.known[dst * this.chunks + c] : 1);
    }
  }

  /** What is not known of a message leaves all copies of its receiver unknown. */
  forget(r) {
    this.known.fill(0, r * this.chunks, (r + 1) * this.chunks);
  }
}

/** Return how many bits of a word are set. */
function ones(word) {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return (((word + (word >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** One run: its places, and its copies at each of them, replayed when somebody asks. */
class Replay {
  constructor(run, ranks) {
    Object.assign(this, { run, ranks, heading: run.heading ?? "", places: places(run), kept: new Map() });
    this.goals = new Map();
    this.contents = contents(run, this.places);
  }

  get length() {
    return this.places.length;
  }

  /** Return the place that is shown at a position; before the first step and after the last there is none. */
  place(position) {
    return this.places[position - 1] ?? null;
  }

  messages(position) {
    return this.place(position)?.messages ?? [];
  }

  /** Return the position of the exchange whose copies a position shows: at local work the one before, or else 0. */
  exchange(position) {
    const last = Math.min(position, this.length);
    for (let at = last; at > 0; at--) if (!this.places[at - 1].local) return at;
    return 0;
  }

  /** Return the copies at a position, null where no exchange tells its chunks. */
  copies(position) {
    const [at, stage] = [this.exchange(position), this.stage(position)];
    if (!stage || !this.fits(stage)) return null;
    if (at) return this.after(at - 1);
    this.first ??= this.begun(stage);
    return this.first;
  }

  /** Return what the copies must hold at the end of the stage that a position shows. */
  goal(position) {
    const stage = this.stage(position);
    if (!this.goals.has(stage)) {
      const all = Array.from({ length: this.ranks }, (_, q) => q);
      this.goals.set(
        stage,
        Copies.of(this.ranks, stage.chunks, (r, c) => stage.goal?.[r]?.[c] ?? all),
      );
    }
    return this.goals.get(stage);
  }

  fits({ chunks = 0 }) {
    return chunks > 0 && this.ranks * chunks * Math.ceil(this.ranks / WORD) <= MOST_WORDS;
  }

  begun(stage) {
    return Copies.of(this.ranks, stage.chunks, (r, c) => stage.start?.[r]?.[c] ?? [r]);
  }

  /** Return the copies after place k, from the nearest state that is kept; all sends read the state before them. */
  after(k) {
    const first = k - this.places[k].within;
    let from = k;
    while (from >= first && !this.kept.has(from)) from--;
    let state = from < first ? this.begun(this.places[k].stage) : this.kept.get(from);
    for (let at = from + 1; at <= k; at++) {
      const next = state.copy();
      for (const message of this.places[at].messages) if (message.sent) next.receive(message, state);
      state = next;
      if (at % KEPT_EVERY === 0 || at === k) this.keep(at, state);
    }
    return state;
  }

  /** Keep a state: those at every 16th place for good, and the last few that were asked for. */
  keep(at, state) {
    this.kept.set(at, state);
    const passing = [...this.kept.keys()].filter((one) => one % KEPT_EVERY !== 0);
    if (passing.length > KEPT_EVERY) this.kept.delete(passing[0]);
  }

  /** Return a copy's entries and values at a position, as the document tells them; null where it does not. */
  content(position, r, c) {
    const told = this.contents.get(`${this.shownPlace(position)?.number} ${r} ${c}`) ?? [];
    return told.findLast((one) => one.position <= position) ?? null;
  }

  /** Return the stage whose copies a position shows. */
  stage(position) {
    return this.shownPlace(position)?.stage;
  }

  shownPlace(position) {
    return this.places[this.exchange(position) - 1] ?? this.places.find((one) => !one.local);
  }

  sizes(position) {
    return this.stage(position)?.sizes ?? [];
  }
}

/** Return what the document tells of the copies of a run: by stage, rank and chunk, from which position on. */
function contents(run, all) {
  const told = new Map();
  const tell = (number, position, cells) => {
    for (const [r, c, support = null, values = []] of cells ?? []) {
      const name = `${number} ${r} ${c}`;
      if (!told.has(name)) told.set(name, []);
      told.get(name).push({ position, support, values });
    }
  };
  all.forEach((place, k) => {
    if (place.within === 0) tell(place.number, k, place.stage.cells);
    if (place.step) tell(place.number, k + 1, place.step.cells);
  });
  return told;
}
