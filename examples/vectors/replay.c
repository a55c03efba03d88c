/* Replays test vectors of sparse and dense allreduce: does sending what they say give the results that they say?
 *
 *     cc -std=c99 -O2 replay.c -o replay
 *     ./replay ring.json ring_topk.json ...
 *
 * Needs C99 alone, and was written from the description of the format (test-vectors.md) and its schema.
 * Exit codes: 0 all tests hold, 1 some do not, 2 a file is not what it should be.
 */
#include "thresholds.h"

#include <inttypes.h>

#define RANKS 1024

static Chunk *state, *left; /* by rank and chunk: what a rank has, and what it did not send */
static Chunk *began;        /* by rank: what a call begins with */
static uint64_t thirds;      /* so many of its entries make a sum full; more than there are: they make none */
static char why[200];       /* what is wrong with a test */

#define WRONG(...) (snprintf(why, sizeof why, __VA_ARGS__), false)

/* Leaves rank r's chunk c its largest entries; the others are left for the next call. */
static void selected(uint64_t r, uint64_t c) {
    Chunk *own = &state[r * chunks + c], *rest = &left[r * chunks + c];
    uint64_t most = bound(c + 1, k) - bound(c, k);
    if (own->count > most) {
        qsort(own->entries, own->count, sizeof(Entry), by_magnitude);
        Chunk kept = {most, own->entries}, gone = {own->count - most, own->entries + most};
        qsort(kept.entries, kept.count, sizeof(Entry), by_place);
        qsort(gone.entries, gone.count, sizeof(Entry), by_place);
        *rest = added(*rest, gone);
        *own = kept;
    }
}

/* What rank r sends of its chunk c, which is what it has of it from now on; selected once, it is full when it is a sum. */
static Chunk made(uint64_t r, uint64_t c, bool sum) {
    Chunk *own = &state[r * chunks + c];
    uint64_t bytes;
    bool many = sum && p > 1 && thirds < INT64_MAX && 3 * own->count >= thirds * size(c);
    if (data == SPARSE && (many || encoding(own->count, size(c), &bytes) == 0)) *own = filled(*own, size(c));
    if (selects()) selected(r, c);
    if (data == ONCE && sum) *own = filled(*own, size(c));
    Chunk sent = empty(own->count); /* a copy, since the sender's own may be sorted anew */
    memcpy(sent.entries, own->entries, own->count * sizeof(Entry));
    sent.count = own->count;
    return sent;
}

/* A send of the schedule */
typedef struct { uint64_t src, dst, chunk, count; Chunk *content; } Send;

static Send *sends_of(const Json *list) {
    Send *sends = need(list->count + 1, sizeof *sends), *s = sends;
    for (const Json *x = list->child; x; x = x->next, s++) {
        closed(x, "src dst chunk count");
        s->src = natural(get(x, "src", NUMBER), p - 1);
        s->dst = natural(get(x, "dst", NUMBER), p - 1);
        s->chunk = natural(get(x, "chunk", NUMBER), chunks - 1);
        s->count = natural(get(x, "count", NUMBER), data == LISTS || selects() ? chunks : chunks - s->chunk);
        if (s->src == s->dst) die("has a rank that sends to itself");
        for (Send *other = sends; other < s; other++)
            if (other->src == s->src && other->dst == s->dst) die("has two messages between two ranks in one step");
    }
    return sends;
}

/* The i-th chunk of a message, and which one chunk c is; after the last comes the first. */
static uint64_t ith(const Send *s, uint64_t i) { return (s->chunk + i) % chunks; }
static uint64_t turn(const Send *s, uint64_t c) { return (c + chunks - s->chunk) % chunks; }

static bool brings(const Send *s, uint64_t r, uint64_t c) { return s->dst == r && turn(s, c) < s->count; }

/* What rank r has of chunk c after the step; the sum goes by ascending rank. */
static bool received(const Send *sends, size_t count, bool adds, uint64_t r, uint64_t c, Chunk *sum) {
    size_t came = 0;
    for (uint64_t q = 0; q < p; q++) {
        if (adds && q == r) *sum = added(*sum, state[r * chunks + c]);
        for (const Send *s = sends; s < sends + count; s++)
            if (s->src == q && brings(s, r, c)) {
                *sum = added(*sum, s->content[turn(s, c)]);
                came++;
            }
    }
    if (came > 1 && !adds) return WRONG("two messages of one step overwrite rank %" PRIu64 "'s chunk %" PRIu64, r, c);
    return true;
}

/* What the ranks send, added up */
typedef struct { uint64_t *messages, *words, *bytes, critical_words, critical_bytes; } Costs;

static uint64_t most(const uint64_t *x) {
    uint64_t found = 0;
    for (uint64_t r = 0; r < p; r++) found = x[r] > found ? x[r] : found;
    return found;
}

/* Compares a message with the file, and counts it. */
static bool measured(const Send *s, const Json *entries, const Json *bytes, const Json *encodings, Costs *all, Costs *now) {
    uint64_t m = 0, octets, w = width();
    for (uint64_t i = 0; i < s->count; i++) m += s->content[i].count;
    bool alone = data == VECTORS || (data == ONCE && s->count && m == size(s->chunk)); /* values without indices */
    octets = m * (alone ? w : w + (data == LISTS && n > (uint64_t)1 << 31 ? 8 : 4));
    int name = data == SPARSE && s->count ? encoding(m, size(s->chunk), &octets) : 0;
    if (m != natural(entries, LONGEST) || octets != natural(bytes, INT64_MAX))
        return WRONG("rank %" PRIu64 " sends %" PRIu64 " entries, %" PRIu64 " bytes: the file has others", s->src, m, octets);
    if (encodings && (encodings->kind != STRING || strcmp(encodings->text, ENCODINGS[name]) != 0))
        return WRONG("rank %" PRIu64 "'s message is %s: the file has another encoding", s->src, ENCODINGS[name]);
    uint64_t words = m * (alone ? 1 : 2);
    all->messages[s->src]++;
    all->words[s->src] += words;
    all->bytes[s->src] += octets;
    now->words[s->src] += words;
    now->bytes[s->src] += octets;
    return true;
}

static Costs costs(void) {
    return (Costs){need(p, sizeof(uint64_t)), need(p, sizeof(uint64_t)), need(p, sizeof(uint64_t)), 0, 0};
}

static bool step(const Json *schedule, const Json *entries, const Json *bytes, const Json *encodings, Costs *all) {
    closed(schedule, "adds sends");
    const Json *list = get(schedule, "sends", ARRAY);
    bool adds = get(schedule, "adds", TRUTH)->number;
    size_t count = list->count;
    Send *sends = sends_of(list);
    if (entries->count != count || bytes->count != count || (encodings && encodings->count != count))
        return WRONG("a step has %zu sends, but sizes of more or fewer", count);
    Costs now = costs();
    entries = entries->child, bytes = bytes->child, encodings = encodings ? encodings->child : NULL;
    for (Send *s = sends; s < sends + count; s++) {
        s->content = need(s->count + 1, sizeof(Chunk));
        for (uint64_t i = 0; i < s->count; i++) s->content[i] = made(s->src, ith(s, i), !adds);
        if (!measured(s, entries, bytes, encodings, all, &now)) return false;
        entries = entries->next, bytes = bytes->next, encodings = encodings ? encodings->next : NULL;
    }
    Chunk **after = need(count + 1, sizeof(Chunk *));
    for (size_t i = 0; i < count; i++) {
        after[i] = need(sends[i].count + 1, sizeof(Chunk));
        for (uint64_t j = 0; j < sends[i].count; j++) {
            after[i][j] = empty(0);
            if (!received(sends, count, adds, sends[i].dst, ith(&sends[i], j), &after[i][j])) return false;
        }
    }
    for (size_t i = 0; i < count; i++)
        for (uint64_t j = 0; j < sends[i].count; j++) state[sends[i].dst * chunks + ith(&sends[i], j)] = after[i][j];
    for (uint64_t i = 0; data == AGAIN && i < p * chunks; i++) selected(i / chunks, i % chunks); /* where some came */
    all->critical_words += most(now.words);
    all->critical_bytes += most(now.bytes);
    return true;
}

/* Adds +0.0, which leaves no -0.0. */
static Chunk positive(Chunk x) {
    for (size_t i = 0; i < x.count; i++) x.entries[i].bits = plus(x.entries[i].bits, 0);
    return x;
}

/* What rank r has in the end. */
static Chunk result(uint64_t r) {
    if (data == THRESHOLDS) return positive(agreed);
    Chunk total = empty(0);
    for (uint64_t c = 0; c < chunks; c++) {
        Chunk mine = made(r, c, true);
        for (size_t i = 0; data != LISTS && i < mine.count; i++) mine.entries[i].at += bound(c, n);
        total = added(total, mine);
    }
    return positive(total);
}

/* By index: what rank r did not send, 0 elsewhere; or, where no result has an entry, what it began with. */
static Chunk residual(uint64_t r) {
    if (data == THRESHOLDS) return back[r];
    Chunk total = empty(n), sent = result(r);
    for (uint64_t c = 0; c < chunks; c++)
        for (uint64_t at = 0; at < size(c); at++) {
            bool back = data == COLLECTED && !find(sent, bound(c, n) + at);
            const Entry *found = back ? find(began[r], bound(c, n) + at) : find(left[r * chunks + c], at);
            append(&total, bound(c, n) + at, found ? found->bits : 0);
        }
    return total;
}

static bool equal(const char *what, uint64_t r, Chunk has, Chunk wanted) {
    size_t i = 0;
    while (i < has.count && i < wanted.count && has.entries[i].at == wanted.entries[i].at &&
           same(has.entries[i].bits, wanted.entries[i].bits))
        i++;
    if (i == has.count && i == wanted.count) return true;
    uint64_t at = i < wanted.count ? wanted.entries[i].at : has.entries[i].at;
    return WRONG("rank %" PRIu64 "'s %s is another from index %" PRIu64 " on", r, what, at);
}

static bool listed(const char *what, const Json *told, const uint64_t *found) {
    const Json *list = get(told, what, ARRAY);
    if (list->count != p) die("has costs of %zu ranks", list->count);
    const Json *x = list->child;
    for (uint64_t r = 0; r < p; r++, x = x->next)
        if (natural(x, INT64_MAX) != found[r]) return WRONG("%s: rank %" PRIu64 " sends %" PRIu64, what, r, found[r]);
    return true;
}

static bool judged(const Json *call, const Costs *all) {
    const Json *told = get(call, "costs", OBJECT);
    closed(told, "messages words bytes critical_words critical_bytes");
    if (!listed("messages", told, all->messages) || !listed("words", told, all->words) || !listed("bytes", told, all->bytes))
        return false;
    if (natural(get(told, "critical_words", NUMBER), INT64_MAX) != all->critical_words ||
        natural(get(told, "critical_bytes", NUMBER), INT64_MAX) != all->critical_bytes)
        return WRONG("critical words and bytes are %" PRIu64 " and %" PRIu64, all->critical_words, all->critical_bytes);
    Chunk wanted = vector(get(call, "result", data == VECTORS ? ARRAY : OBJECT), data != VECTORS);
    for (uint64_t r = 0; r < p; r++)
        if (!equal("result", r, result(r), wanted)) return false;
    return true;
}

/* The start of a call: vectors are cut into chunks, or each is its own rank's list. */
static void begin(const Json *inputs, const Chunk *waiting) {
    if (inputs->count != p) die("has %zu inputs for %" PRIu64 " ranks", inputs->count, p);
    state = need(p * chunks, sizeof(Chunk));
    left = need(p * chunks, sizeof(Chunk));
    began = need(p, sizeof(Chunk));
    const Json *input = inputs->child;
    for (uint64_t r = 0; r < p; r++, input = input->next) {
        Chunk x = vector(input, data == LISTS || data == SPARSE);
        if (data >= SELECTED) x = waiting[r].count ? added(waiting[r], x) : positive(x); /* first +0.0 waits */
        began[r] = x;
        for (uint64_t c = 0; c < chunks; c++)
            state[r * chunks + c] = data != LISTS ? piece(x, bound(c, n), bound(c + 1, n)) : r == c ? x : empty(0);
        for (uint64_t c = 0; (data == ONCE || data == AGAIN) && c < chunks; c++) selected(r, c);
    }
}

/* A step that depends on the vectors: its messages are the file's, too. */
static bool told(const Step *step, const Json *sends, const Json *entries, const Json *bytes, Costs *all) {
    Costs now = costs();
    if (sends->count != step->count || entries->count != step->count || bytes->count != step->count)
        return WRONG("a step has %zu sends: the file has more or fewer", step->count);
    sends = sends->child, entries = entries->child, bytes = bytes->child;
    for (const Message *m = step->messages; m < step->messages + step->count; m++) {
        if (sends->kind != ARRAY || sends->count != 2) die("has a send that is no pair of ranks");
        if (natural(sends->child, RANKS) != m->src || natural(sends->child->next, RANKS) != m->dst)
            return WRONG("rank %" PRIu64 " sends to rank %" PRIu64 ": the file has another send", m->src, m->dst);
        Chunk content = {m->count, NULL};
        Send send = {m->src, m->dst, 0, 1, &content};
        if (!measured(&send, entries, bytes, NULL, all, &now)) return false;
        sends = sends->next, entries = entries->next, bytes = bytes->next;
    }
    all->critical_words += most(now.words);
    all->critical_bytes += most(now.bytes);
    return true;
}

/* All steps of such a call. */
static bool followed(const Json *call, const Json *entries, const Json *bytes, Costs *all) {
    const Json *sends = get(call, "sends", ARRAY);
    play(began);
    if (sends->count != many || entries->count != many || bytes->count != many)
        return WRONG("there are %zu steps: the file has more or fewer", many);
    sends = sends->child, entries = entries->child, bytes = bytes->child;
    for (size_t i = 0; i < many; i++) {
        if (!told(&played[i], sends, entries, bytes, all)) return false;
        sends = sends->next, entries = entries->next, bytes = bytes->next;
    }
    return true;
}

#define CALL "inputs entries bytes costs result"
#define KEEPS CALL " residuals"
static const char *const FIELDS_OF[] = {CALL, CALL, CALL " encodings", KEEPS, KEEPS, KEEPS, KEEPS, KEEPS " sends"}; /* by data */

/* One call; afterwards `waiting` has what every rank did not send. */
static bool called(const Json *steps, const Json *call, Chunk *waiting) {
    closed(call, FIELDS_OF[data]);
    begin(get(call, "inputs", ARRAY), waiting);
    const Json *entries = get(call, "entries", ARRAY), *bytes = get(call, "bytes", ARRAY);
    const Json *encodings = data == SPARSE ? get(call, "encodings", ARRAY) : NULL;
    Costs all = costs();
    if (data == THRESHOLDS && (steps->count || !followed(call, entries, bytes, &all)))
        return steps->count ? WRONG("the group has steps, which depend on the vectors") : false;
    if (data != THRESHOLDS && (entries->count != steps->count || bytes->count != steps->count || (encodings && encodings->count != steps->count)))
        return WRONG("there are %zu steps, but sizes of more or fewer", steps->count);
    entries = entries->child, bytes = bytes->child, encodings = encodings ? encodings->child : NULL;
    for (const Json *x = steps->child; x; x = x->next) {
        if (!step(x, entries, bytes, encodings, &all)) return false;
        entries = entries->next, bytes = bytes->next, encodings = encodings ? encodings->next : NULL;
    }
    if (!judged(call, &all)) return false;
    const Json *residuals = data >= SELECTED ? get(call, "residuals", ARRAY) : NULL;
    if (residuals && residuals->count != p) die("has residuals of %zu ranks", residuals->count);
    residuals = residuals ? residuals->child : NULL;
    for (uint64_t r = 0; residuals; r++, residuals = residuals->next) {
        waiting[r] = residual(r);
        if (!equal("residual", r, waiting[r], vector(residuals, false))) return false;
    }
    return true;
}

static int one_of(const char *const *names, const Json *x) {
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], x->text) == 0) return i;
    die("has \"%s\", which the schema does not know", x->text);
    return -1;
}

static bool held(const Json *group, const Json *test) {
    const Json *calls = get(test, "calls", ARRAY), *kept = get(group, "parameters", OBJECT)->child;
    type = (Type)one_of(TYPES, get(test, "dtype", STRING));
    n = natural(get(test, "n", NUMBER), LONGEST);
    for (k = n, thirds = INT64_MAX; kept; kept = kept->next) {
        if (strcmp(kept->key, "k") == 0 && natural(kept, INT64_MAX) < n) k = natural(kept, INT64_MAX);
        if (strcmp(kept->key, "thirds") == 0) thirds = natural(kept, INT32_MAX);
    }
    if (data == THRESHOLDS) begin_calls(group);
    Chunk *waiting = need(p, sizeof(Chunk));
    for (const Json *call = calls->child; call; call = call->next)
        if (!called(get(group, "steps", ARRAY), call, waiting)) return false;
    return true;
}

/* Each flag has a note. */
static bool noted(const Json *file, const Json *test) {
    for (const Json *flag = get(test, "flags", ARRAY)->child; flag; flag = flag->next) {
        if (flag->kind != STRING) die("has a flag that is no text");
        const Json *note = get(file, "notes", OBJECT)->child;
        while (note && strcmp(note->key, flag->text) != 0) note = note->next;
        if (!note) return WRONG("flag %s has no note", flag->text);
    }
    return true;
}

/* How many tests of a file do not hold. */
static uint64_t replay(const char *path) {
    const Json *file = load(path);
    if (natural(get(file, "schema", NUMBER), INT64_MAX) != 1) die("has another version; this program reads version 1");
    data = (Data)one_of(DATA, get(file, "data", STRING));
    closed_file(file);
    uint64_t count = 0, wrong = 0;
    for (const Json *group = get(file, "groups", ARRAY)->child; group; group = group->next) {
        closed(group, "p parameters chunks steps tests");
        p = natural(get(group, "p", NUMBER), RANKS);
        chunks = natural(get(group, "chunks", NUMBER), RANKS);
        if (!p || !chunks || (data == LISTS && chunks != p)) die("has no ranks or chunks, or lists not of all ranks");
        if (!get(group, "tests", ARRAY)->count) die("has a group without tests");
        for (const Json *test = get(group, "tests", ARRAY)->child; test; test = test->next) {
            Block *before = blocks;
            closed_test(test, ++count, data >= SELECTED ? 3 : 1, data >= SELECTED ? 3 : 1);
            if (!noted(file, test) || !held(group, test)) {
                printf("%s: test %" PRIu64 " (%s): %s\n", path, count, get(test, "comment", STRING)->text, why);
                wrong++;
            }
            release(before);
        }
    }
    if (natural(get(file, "test_count", NUMBER), INT64_MAX) != count) die("has %" PRIu64 " tests, but says otherwise", count);
    printf("%s: %" PRIu64 " of %" PRIu64 " tests hold\n", path, count - wrong, count);
    release(NULL);
    return wrong;
}

int main(int count, char **arguments) {
    uint64_t wrong = 0;
    if (count < 2) return fprintf(stderr, "usage: %s FILE.json ...\n", arguments[0]), 2;
    for (int i = 1; i < count; i++) wrong += replay(arguments[i]);
    return wrong ? 1 : 0;
}
