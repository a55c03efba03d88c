// Puts the numbers of a message into a page's formulas, and works them out by an evaluator of its own: no eval.

const TOKEN = /\s*(?:(\d+)|([A-Za-z_]\w*)|(\/\/|<<|>>|<=|>=|==|!=|[-+*%&|^~<>(),]))/y;
/** Binary operators from loose to tight, as Python binds them; comparisons stand below all of these. */
const LEVELS = [["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "//", "%"]];
const COMPARISONS = ["<", "<=", ">", ">=", "==", "!="];
/** What the names of a page's language mean; a page may add its own formulas. */
const FUNCTIONS = {
  where: (c, a, b) => (c ? a : b),
  both: (a, b) => a && b,
  either: (a, b) => a || b,
  negate: (a) => !a,
  min: (...all) => Math.min(...all),
  max: (...all) => Math.max(...all),
  reverse: (x, bits) => {
    let turned = 0;
    for (let i = 0; i < bits && i < 31; i++) turned = turned * 2 + ((x >> i) & 1);
    return turned;
  },
};
/** Return an operation on bits, for numbers that JavaScript's has room for. */
const bitwise = (operation) => (a, b) => {
  if (a !== (a | 0) || b !== (b | 0)) throw new Error("too long for bits");
  return operation(a, b);
};
const OPERATIONS = {
  "|": bitwise((a, b) => a | b),
  "^": bitwise((a, b) => a ^ b),
  "&": bitwise((a, b) => a & b),
  "<<": (a, b) => a * 2 ** b,
  ">>": (a, b) => Math.floor(a / 2 ** b),
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "//": (a, b) => Math.floor(a / b),
  "%": (a, b) => a - b * Math.floor(a / b),
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => Number(a) === Number(b),
  "!=": (a, b) => Number(a) !== Number(b),
};
/** Formulas may call one another so deep, and have so many tokens. */
const DEEPEST = 40;
const LONGEST = 2000;

/** Return the tokens of an expression; throws where a character belongs to none. */
function tokens(text) {
  const found = [];
  TOKEN.lastIndex = 0;
  while (text.slice(TOKEN.lastIndex).trim()) {
    const match = TOKEN.exec(text);
    if (!match || found.length > LONGEST) throw new Error("not an expression of the page's language");
    found.push(match[1] ?? match[2] ?? match[3]);
  }
  return found;
}

/** Works out one expression: a recursive descent over its tokens. */
class Evaluator {
  constructor(text, values, formulas, depth = 0) {
    if (depth > DEEPEST) throw new Error("formulas call one another too deep");
    Object.assign(this, { tokens: tokens(text), at: 0, values, formulas, depth });
  }

  whole() {
    const all = this.commas();
    if (this.at < this.tokens.length) throw new Error(`cannot read ${this.tokens[this.at]}`);
    return all.length === 1 ? all[0] : all;
  }

  next(...wanted) {
    return wanted.includes(this.tokens[this.at]) ? this.tokens[this.at++] : null;
  }

  commas() {
    const all = [this.comparison()];
    while (this.next(",")) all.push(this.comparison());
    return all;
  }

  /** a < b < c is a < b and b < c. */
  comparison() {
    let left = this.binary(0);
    let result = null;
    for (let sign; (sign = this.next(...COMPARISONS));) {
      const right = this.binary(0);
      result = (result ?? true) && OPERATIONS[sign](left, right);
      left = right;
    }
    return result ?? left;
  }

  binary(level) {
    if (level === LEVELS.length) return this.unary();
    let left = this.binary(level + 1);
    for (let sign; (sign = this.next(...LEVELS[level]));) left = whole(OPERATIONS[sign](left, this.binary(level + 1)));
    return left;
  }

  unary() {
    if (this.next("-")) return -this.unary();
    if (this.next("~")) return ~this.unary();
    return this.atom();
  }

  atom() {
    const token = this.tokens[this.at++] ?? "";
    if (/^\d/.test(token)) return Number(token);
    if (token === "(") return this.closed();
    if (token === "True" || token === "False") return token === "True";
    if (!/^[A-Za-z_]/.test(token)) throw new Error(`cannot read ${token}`);
    if (this.next("(")) return this.called(token, this.next(")") ? [] : [this.closed()].flat());
    if (!Object.hasOwn(this.values, token)) throw new Error(`${token} is not known`);
    return this.values[token];
  }

  closed() {
    const all = this.commas();
    if (!this.next(")")) throw new Error("a bracket is not closed");
    return all.length === 1 ? all[0] : all;
  }

  called(name, given) {
    if (Object.hasOwn(FUNCTIONS, name)) return FUNCTIONS[name](...given);
    const formula = this.formulas.find((one) => one.name === name && one.expression);
    if (!formula || formula.letters.length !== given.length) throw new Error(`${name} is not known`);
    const values = Object.fromEntries(formula.letters.map((letter, i) => [letter, given[i]]));
    return new Evaluator(formula.expression, values, this.formulas, this.depth + 1).whole();
  }
}

/** Return a value, unless a number is none that is exact. */
function whole(value) {
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new Error("not an exact number");
  return value;
}

/** Return what an expression is worth; undefined where that cannot be worked out. */
function worth(expression, values, formulas) {
  try {
    return new Evaluator(expression, values, formulas).whole();
  } catch {
    return undefined;
  }
}

/** Return an expression with letters replaced by their values, token by token; all else stays as it is. */
function filled(expression, values) {
  return expression.replace(/[A-Za-z_]\w*/g, (name, at) => {
    const calls = /^\s*\(/.test(expression.slice(at + name.length));
    return !calls && Object.hasOwn(values, name) ? String(values[name]) : name;
  });
}

/** Return the letters of a message: r is its sender, or its receiver in the formula ``src``. */
function letters(formula, message, step, fixed, ranks) {
  const own = { p: ranks, ...fixed, ...message.letters, r: formula.name === "src" ? message.dst : message.src };
  if (step.t !== undefined) own.t = step.t;
  if (message.chunks.length) own.c = message.chunks[0];
  return Object.fromEntries(formula.letters.filter((one) => Object.hasOwn(own, one)).map((one) => [one, own[one]]));
}

/** Return what a message itself tells of a formula's value. */
function witnessed(name, { src, dst, chunks, adds }) {
  if (name === "block" && chunks.length) return [chunks[0], chunks.length];
  return { src, dst, adds: adds ?? undefined, chunk: chunks[0] }[name];
}

/** Return a value as Python writes it. */
function written(value) {
  if (typeof value === "boolean") return value ? "True" : "False";
  return Array.isArray(value) ? `(${value.map(written).join(", ")})` : String(value);
}

/** Return a formula with a message's numbers put in, in the parts that an equation sign stands between. */
function equation(formula, message, step, fixed, ranks, formulas) {
  const values = letters(formula, message, step, fixed, ranks);
  const given = formula.letters.map((one) => (Object.hasOwn(values, one) ? `${one}=${values[one]}` : one));
  const parts = [`${formula.name}(${given.join(", ")})`];
  const seen = witnessed(formula.name, message);
  if (!formula.expression)
    return {
      parts: seen === undefined || message.look === "wrong" ? parts : [...parts, written(seen)],
      source: formula.source,
    };
  parts.push(formula.expression, filled(formula.expression, values));
  const worked = worth(formula.expression, values, formulas);
  const result = worked ?? (message.look ? undefined : seen);
  if (result !== undefined) parts.push(written(result));
  const differs = worked !== undefined && seen !== undefined && written(worked) !== written(seen);
  return { parts: parts.filter((one, i) => one !== parts[i - 1]), differs: differs ? written(seen) : "" };
}
