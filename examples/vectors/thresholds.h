/* Ok-Topk as test-vectors.md tells it: who sends what follows from thresholds, regions and the vectors. */
#ifndef THRESHOLDS_H
#define THRESHOLDS_H

#include "chunks.h"

typedef struct { uint64_t src, dst, count; } Message; /* its entries */
typedef struct { size_t count; Message *messages; } Step;

static uint64_t wanted, tau, tau_prime, trigger, bucket, gain; /* the parameters; wanted is k */
static uint64_t calls, least, *local, *cuts;             /* kept from call to call: thresholds, and where regions begin */
static Step *played;                                     /* what a call sends */
static size_t many;                                      /* steps of it */
static Chunk agreed, *back;                               /* its result and, by rank, its residuals */

static uint64_t parameter(const Json *group, const char *name, uint64_t lowest) {
    uint64_t value = natural(get(get(group, "parameters", OBJECT), name, NUMBER), INT64_MAX);
    if (value < lowest) die("has a parameter %s that is too small", name);
    return value;
}

/* A new series of calls. */
static void begin_calls(const Json *group) {
    wanted = parameter(group, "k", 0), tau = parameter(group, "tau", 1), tau_prime = parameter(group, "tau_prime", 1);
    trigger = parameter(group, "trigger", 0), bucket = parameter(group, "bucket", 1), gain = parameter(group, "gain", 0);
    calls = least = 0;
    local = need(p, sizeof(uint64_t));
    cuts = need(p + 1, sizeof(uint64_t));
}

static void open_step(uint64_t room) { played[many++] = (Step){0, need(room + 1, sizeof(Message))}; }

static void say(uint64_t src, uint64_t dst, uint64_t count) {
    Step *now = &played[many - 1];
    now->messages[now->count++] = (Message){src, dst, count};
}

/* The magnitude of the k-th largest; 0, which all reach, if there are fewer. */
static uint64_t threshold(Chunk x) {
    if (!wanted || wanted > x.count) return 0;
    Chunk order = empty(x.count);
    memcpy(order.entries, x.entries, x.count * sizeof(Entry));
    qsort(order.entries, x.count, sizeof(Entry), by_magnitude);
    return magnitude(order.entries[wanted - 1].bits);
}

/* by / over times a magnitude, rounded down or, of floats, after the division and after the product. */
static uint64_t scaled(uint64_t size, uint64_t by, uint64_t over) {
    if (type >= INT32) return size / over * by + size % over * by / over;
    if (size == UINT64_MAX) return size; /* NaN */
    if (type == FLOAT32) {
        uint32_t bits = (uint32_t)size;
        float x;
        memcpy(&x, &bits, 4);
        x /= (float)over;
        x *= (float)by;
        memcpy(&bits, &x, 4);
        return bits;
    }
    double x;
    memcpy(&x, &size, 8);
    x /= (double)over;
    x *= (double)by;
    memcpy(&size, &x, 8);
    return size;
}

/* A threshold that so many entries have reached, as it is in the next call. */
static uint64_t moved_on(uint64_t lowest, uint64_t found) {
    if (3 * found > 4 * wanted) return scaled(lowest, 1000 + gain, 1000);
    return 3 * found < 2 * wanted ? scaled(lowest, 1000, 1000 + gain) : lowest;
}

/* The entries that reach it and are not zero. */
static Chunk reaching(Chunk x, uint64_t lowest) {
    Chunk made = empty(x.count);
    for (size_t i = 0; wanted && i < x.count; i++) {
        uint64_t size = magnitude(x.entries[i].bits);
        if (size && size >= lowest) append(&made, x.entries[i].at, x.entries[i].bits);
    }
    return made;
}

/* One after the other. */
static Chunk strung(const Chunk *lists) {
    size_t room = 0;
    for (uint64_t r = 0; r < p; r++) room += lists[r].count;
    Chunk made = empty(room);
    for (uint64_t r = 0; r < p; r++)
        for (size_t i = 0; i < lists[r].count; i++) append(&made, lists[r].entries[i].at, lists[r].entries[i].bits);
    return made;
}

/* Bruck's algorithm: with d lists a rank sends the first d, or as many as are lacking. */
static Chunk gathered(const Chunk *lists) {
    for (uint64_t d = 1, sent; d < p; d += sent) {
        sent = d < p - d ? d : p - d;
        open_step(p);
        for (uint64_t r = 0; r < p; r++) {
            uint64_t count = 0;
            for (uint64_t i = 0; i < sent; i++) count += lists[(r + i) % p].count;
            say(r, (r + p - d) % p, count);
        }
    }
    return strung(lists);
}

/* The regions: the means, rounded down, of where each rank's entries, or of none all places, are cut evenly. */
static void cut(const Chunk *mine) {
    for (uint64_t c = 1; c < p; c++) {
        cuts[c] = 0;
        for (uint64_t r = 0; r < p; r++)
            cuts[c] += mine[r].count ? mine[r].entries[c * mine[r].count / p].at : c * n / p;
        cuts[c] /= p;
    }
    cuts[p] = n;
}

/* The entries of region c. */
static Chunk region(Chunk x, uint64_t c) {
    Chunk made = empty(x.count);
    for (size_t i = 0; i < x.count; i++)
        if (cuts[c] <= x.entries[i].at && x.entries[i].at < cuts[c + 1]) append(&made, x.entries[i].at, x.entries[i].bits);
    return made;
}

/* Rank c adds region c up: its own entries, then those of the ranks before it, in turn. */
static Chunk *split(const Chunk *mine) {
    Chunk *sums = need(p, sizeof(Chunk)), *pieces = need(p * p, sizeof(Chunk));
    for (uint64_t i = 0; i < p * p; i++) pieces[i] = region(mine[i / p], i % p);
    for (uint64_t first = 1, turns; first < p; first += turns) {
        turns = bucket < p - first ? bucket : p - first;
        open_step(p * turns);
        for (uint64_t r = 0; r < p; r++)
            for (uint64_t i = first; i < first + turns; i++) say(r, (r + i) % p, pieces[r * p + (r + i) % p].count);
    }
    for (uint64_t c = 0; c < p; c++) {
        sums[c] = pieces[c * p + c];
        for (uint64_t i = 1; i < p; i++) sums[c] = added(sums[c], pieces[(c + p - i) % p * p + c]);
    }
    return sums;
}

/* Whether a rank has more than so many times the mean. */
static bool uneven(const Chunk *stay) {
    uint64_t largest = 0, all = 0;
    for (uint64_t r = 0; r < p; r++) {
        all += stay[r].count;
        largest = stay[r].count > largest ? stay[r].count : largest;
    }
    return largest * p > trigger * all;
}

/* Of all entries, in the order of ranks, each rank gets an equal share; a message that is empty is none. */
static void deal(Chunk *stay) {
    Chunk row = strung(stay);
    if (p > 1) open_step(p * p); /* one rank keeps all: its loops say nothing */
    for (uint64_t q = 0, begin = 0, end; q < p; q++, begin = end) {
        end = begin + stay[q].count;
        for (uint64_t r = 0; r < p; r++) {
            uint64_t start = row.count * r / p, stop = row.count * (r + 1) / p;
            start = start > begin ? start : begin;
            stop = stop < end ? stop : end;
            if (q != r && start < stop) say(q, r, stop - start);
        }
    }
    for (uint64_t r = 0; r < p; r++) {
        uint64_t start = row.count * r / p;
        stay[r] = (Chunk){row.count * (r + 1) / p - start, row.entries + start};
    }
}

/* One call on these vectors. */
static void play(const Chunk *xs) {
    Chunk *mine = need(p, sizeof(Chunk)), *sums;
    bool anew = calls % tau_prime == 0;
    played = need(p + 130, sizeof(Step)), many = 0;
    for (uint64_t r = 0; r < p; r++) {
        if (anew) local[r] = threshold(xs[r]);
        mine[r] = reaching(xs[r], local[r]);
    }
    if (calls++ % tau == 0) cut(mine);
    sums = split(mine);
    if (anew) least = threshold(gathered(sums));
    for (uint64_t r = 0; r < p; r++) sums[r] = reaching(sums[r], least);
    if (uneven(sums)) deal(sums);
    agreed = gathered(sums);
    for (uint64_t r = 0; r < p; r++) local[r] = moved_on(local[r], mine[r].count);
    least = moved_on(least, agreed.count);
    back = need(p, sizeof(Chunk));
    for (uint64_t r = 0; r < p; r++) {
        back[r] = empty(xs[r].count);
        for (size_t i = 0; i < xs[r].count; i++) {
            Entry x = xs[r].entries[i];
            append(&back[r], x.at, find(mine[r], x.at) && find(agreed, x.at) ? 0 : x.bits);
        }
    }
}

#endif
