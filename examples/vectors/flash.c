/* Replays the test vectors of Flash Communication: every byte that is sent, and what every rank has in the end.
 *
 *     cc -std=c99 -O2 flash.c -o flash
 *     ./flash flash.json
 *
 * Needs C99 alone, with floats of IEEE 754, and was written from the description of the format (test-vectors.md).
 * Exit codes: 0 all tests hold, 1 some do not, 2 the file is not what it should be.
 */
#include "json.h"

#include <inttypes.h>
#include <math.h>

#define RANKS 1024
#define WRONG(...) (snprintf(why, sizeof why, __VA_ARGS__), false)

typedef struct { size_t count; uint8_t *bytes; double *read; } Message; /* and what is read from it */

static bool single, spikes;  /* float32; with spikes */
static uint64_t p, n, g;     /* ranks, length, entries of a group */
static char why[200];        /* what is wrong with a test */

/* Numbers */

static size_t width(void) { return single ? 4 : 8; }

/* A double has more than twice the digits, so that rounding twice does no harm. */
static double rounded(double v) { return single ? (double)(float)v : v; }

static uint64_t bits_of(double v) {
    float narrow = (float)v;
    uint32_t bits = 0;
    uint64_t all = 0;
    if (isnan(v)) return single ? 0x7fc00000 : 0x7ff8000000000000;
    memcpy(&bits, &narrow, sizeof bits);
    memcpy(&all, &v, sizeof all);
    return single ? bits : all;
}

static uint64_t digits(const Json *x, size_t count) {
    uint64_t bits = 0;
    if (x->kind != STRING || strlen(x->text) != count) die("has a number of the wrong length");
    for (const char *digit = x->text; *digit; digit++) {
        const char *known = "0123456789abcdef", *found = strchr(known, *digit);
        if (!found) die("has a number that is not hexadecimal");
        bits = bits << 4 | (uint64_t)(found - known);
    }
    return bits;
}

static double number(const Json *x) {
    uint64_t all = digits(x, 2 * width());
    uint32_t bits = (uint32_t)all;
    float narrow;
    double v;
    memcpy(&narrow, &bits, sizeof narrow);
    memcpy(&v, &all, sizeof v);
    return single ? (double)narrow : v;
}

/* The nearest whole number, of two the even one; v is not negative, and not much above 255. */
static unsigned nearest(double v) {
    unsigned below = (unsigned)v;
    double rest = v - below;
    return below + (rest > 0.5 || (rest == 0.5 && below % 2));
}

/* Messages */

static size_t octets(size_t count, unsigned bits) {
    size_t all = 0;
    for (unsigned w = 8; w; w /= 2) all += bits & w ? (count * w + 7) / 8 : 0;
    return all;
}

/* The bytes of codes, in planes: their lowest bits first, and in a byte the first code's lowest. */
static void pack(uint8_t *to, const unsigned *codes, size_t count, unsigned bits) {
    unsigned done = 0;
    for (unsigned w = 8; w; w /= 2) {
        if (!(bits & w)) continue;
        for (size_t i = 0; i < count; i++)
            to[i * w / 8] |= (uint8_t)((codes[i] >> done & ((1u << w) - 1)) << i * w % 8);
        to += (count * w + 7) / 8;
        done += w;
    }
}

static void put(uint8_t *to, uint64_t bits, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) to[i] = (uint8_t)(bits >> 8 * i);
}

/* What is told of a group, and its codes: low, step, least, greatest; where the last two are. */
typedef struct { double told[4]; size_t at[2]; } Group;

static Group coded(const double *x, size_t count, unsigned bits, unsigned *codes, double *read) {
    unsigned most = (1u << bits) - 1;
    Group one = {{0}, {0, 0}};
    bool finite = true;
    for (size_t i = 0; i < count; i++) {
        finite = finite && isfinite(x[i]);
        if (x[i] < x[one.at[0]]) one.at[0] = i;
        if (x[i] > x[one.at[1]]) one.at[1] = i;
    }
    one.told[2] = x[one.at[0]] + 0.0;
    one.told[3] = x[one.at[1]] + 0.0;
    if (!finite || !isfinite(rounded(one.told[3] - one.told[2]))) {
        for (int i = 0; i < 4; i++) one.told[i] = NAN;
        one.at[0] = one.at[1] = 0;
        for (size_t i = 0; i < count; i++) codes[i] = 0, read[i] = NAN;
        return one;
    }
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++)
        if (!spikes || (i != one.at[0] && i != one.at[1])) {
            low = x[i] < low ? x[i] : low;
            high = x[i] > high ? x[i] : high;
        }
    if (low > high) low = high = one.told[2]; /* there are no others */
    low += 0.0;
    double step = rounded(rounded(high + 0.0 - low) / most);
    one.told[0] = low;
    one.told[1] = step;
    for (size_t i = 0; i < count; i++) {
        bool spike = spikes && (i == one.at[0] || i == one.at[1]);
        codes[i] = spike || step == 0 ? 0 : nearest(rounded(rounded(x[i] - low) / step));
        if (codes[i] > most) codes[i] = most;
        read[i] = spike ? one.told[i == one.at[1] ? 3 : 2] : rounded(low + rounded(step * codes[i]));
    }
    return one;
}

static Message message(const double *x, size_t count, unsigned bits) {
    size_t groups = (count + g - 1) / g, kinds = spikes ? 4 : 2, w = width(), place = g <= 256 ? 1 : g <= 65536 ? 2 : 4;
    size_t places = groups * kinds * w, planes = places + (spikes ? 2 * groups * place : 0);
    Message made = {planes + octets(count, bits), need(planes + octets(count, bits) + 1, 1), need(count + 1, sizeof(double))};
    unsigned *codes = need(count + 1, sizeof *codes);
    for (size_t i = 0; i < groups; i++) {
        size_t first = i * g, length = count - first < g ? count - first : g;
        Group one = coded(x + first, length, bits, codes + first, made.read + first);
        for (size_t kind = 0; kind < kinds; kind++)
            put(made.bytes + (kind * groups + i) * w, bits_of(one.told[kind]), w);
        for (size_t kind = 0; spikes && kind < 2; kind++)
            put(made.bytes + places + (kind * groups + i) * place, one.at[kind], place);
    }
    pack(made.bytes + planes, codes, count, bits);
    return made;
}

/* Judging */

static uint64_t bound(uint64_t c) { return c * n / p; }

static bool same(const Json *told, Message sent) {
    if (!told || told->kind != STRING || strlen(told->text) != 2 * sent.count) return false;
    for (size_t i = 0; i < sent.count; i++) {
        char two[3];
        snprintf(two, sizeof two, "%02x", sent.bytes[i]);
        if (strncmp(told->text + 2 * i, two, 2) != 0) return false;
    }
    return true;
}

/* A step in which each rank sends to those after it in turn; `sent`: by sender and receiver, or by sender alone. */
static bool step_holds(const Json *sends, const Json *messages, const Message *sent, bool each) {
    if (!sends || !messages || sends->count != p * (p - 1) || messages->count != sends->count)
        return WRONG("a step has another number of messages");
    const Json *pair = sends->child, *told = messages->child;
    for (uint64_t r = 0; r < p; r++)
        for (uint64_t j = 1; j < p; j++, pair = pair->next, told = told->next) {
            uint64_t d = (r + j) % p;
            if (pair->count != 2 || natural(pair->child, p - 1) != r || natural(pair->child->next, p - 1) != d)
                return WRONG("a message that rank %" PRIu64 " sends goes elsewhere", r);
            if (!same(told, sent[each ? r * p + d : r]))
                return WRONG("what rank %" PRIu64 " sends to rank %" PRIu64 " differs", r, d);
        }
    return true;
}

static bool results_hold(const Json *results, const double *wanted) {
    uint64_t r = 0;
    for (const Json *y = results->child; y; y = y->next, r++) {
        uint64_t i = 0;
        for (const Json *v = y->child; v; v = v->next, i++)
            if (i >= n || digits(v, 2 * width()) != bits_of(wanted[i]))
                return WRONG("rank %" PRIu64 "'s result differs at index %" PRIu64, r, i);
        if (i != n) return WRONG("rank %" PRIu64 "'s result is too short", r);
    }
    return r == p || WRONG("there are %" PRIu64 " results", r);
}

static double *vector(const Json *x) {
    double *found = need(n + 1, sizeof *found);
    if (x->kind != ARRAY || x->count != n) die("has an input that is not as long as the test says");
    size_t i = 0;
    for (const Json *v = x->child; v; v = v->next) found[i++] = number(v);
    return found;
}

static bool call_holds(const Json *call, unsigned b1, unsigned b2) {
    closed(call, "inputs sends messages costs results state");
    closed(get(call, "costs", OBJECT), "messages bytes critical_bytes");
    const Json *inputs = get(call, "inputs", ARRAY), *sends = get(call, "sends", ARRAY);
    const Json *messages = get(call, "messages", ARRAY), *results = get(call, "results", ARRAY);
    if (inputs->count != p) die("has not one input a rank");
    Message *copies = need(p * p, sizeof *copies), *sums = need(p, sizeof *sums);
    double *y = need(n + 1, sizeof *y);
    uint64_t r = 0;
    for (const Json *x = inputs->child; x; x = x->next, r++) {
        double *own = vector(x);
        for (uint64_t i = 0; p == 1 && i < n; i++) y[i] = own[i] + 0.0;
        for (uint64_t c = 0; c < p; c++) copies[r * p + c] = message(own + bound(c), bound(c + 1) - bound(c), b1);
    }
    if (p == 1) return (!sends->count && !messages->count) || WRONG("one rank sends") ? results_hold(results, y) : false;
    for (uint64_t c = 0; c < p; c++) {
        size_t count = bound(c + 1) - bound(c);
        double *total = need(count + 1, sizeof *total);
        for (size_t i = 0; i < count; i++)
            for (uint64_t q = 0; q < p; q++)
                total[i] = q ? rounded(total[i] + copies[q * p + c].read[i]) : copies[c].read[i];
        sums[c] = message(total, count, b2);
        memcpy(y + bound(c), sums[c].read, count * sizeof *y);
    }
    if (sends->count != 2 || messages->count != 2) return WRONG("there are not two steps");
    return step_holds(sends->child, messages->child, copies, true) &&
           step_holds(sends->child->next, messages->child->next, sums, false) && results_hold(results, y);
}

static bool test_holds(const Json *group, const Json *test) {
    const Json *parameters = get(group, "parameters", OBJECT), *calls = get(test, "calls", ARRAY);
    const char *dtype = get(test, "dtype", STRING)->text;
    unsigned b1 = (unsigned)natural(get(parameters, "b1", NUMBER), 8), b2 = (unsigned)natural(get(parameters, "b2", NUMBER), 8);
    g = natural(get(parameters, "g", NUMBER), UINT32_MAX);
    spikes = natural(get(parameters, "spikes", NUMBER), 1);
    n = natural(get(test, "n", NUMBER), FILE_SIZE);
    single = strcmp(dtype, "float32") == 0;
    if (!b1 || !b2 || !g || (!single && strcmp(dtype, "float64") != 0)) die("has parameters that none can be");
    for (const Json *call = calls->child; call; call = call->next)
        if (!call_holds(call, b1, b2)) return false;
    return true;
}

int main(int count, char **arguments) {
    if (count != 2) return fprintf(stderr, "usage: %s flash.json\n", arguments[0]), 2;
    const Json *file = load(arguments[1]);
    if (natural(get(file, "schema", NUMBER), INT64_MAX) != 1) die("has another version; this program reads version 1");
    if (strcmp(get(file, "algorithm", STRING)->text, "flash") != 0) die("tells of another algorithm; this program reads flash");
    closed_file(file);
    uint64_t tests = 0, wrong = 0;
    for (const Json *group = get(file, "groups", ARRAY)->child; group; group = group->next) {
        closed(group, "p parameters tests");
        p = natural(get(group, "p", NUMBER), RANKS);
        if (!p) die("has no ranks");
        if (!get(group, "tests", ARRAY)->count) die("has a group without tests");
        for (const Json *test = get(group, "tests", ARRAY)->child; test; test = test->next, tests++) {
            Block *before = blocks;
            closed_test(test, tests + 1, 1, 3);
            if (!test_holds(group, test)) {
                printf("%s: test %" PRIu64 " (%s): %s\n", arguments[1], tests + 1, get(test, "comment", STRING)->text, why);
                wrong++;
            }
            release(before);
        }
    }
    if (natural(get(file, "test_count", NUMBER), INT64_MAX) != tests) die("has not as many tests as it says");
    printf("%s: %" PRIu64 " of %" PRIu64 " tests hold\n", arguments[1], tests - wrong, tests);
    release(NULL);
    return wrong ? 1 : 0;
}
