/* Numbers by their bits, and chunks of vectors: the numbers that are there, by ascending place. */
#ifndef CHUNKS_H
#define CHUNKS_H

#include "json.h"

#include <float.h>

#if FLT_EVAL_METHOD != 0
#error "floats must be added in their own precision"
#endif

#define LONGEST ((uint64_t)1 << 48)
#define BLOCK_SIZE ((uint64_t)1 << 16)

typedef enum { FLOAT32, FLOAT64, INT32, INT64 } Type;
typedef enum { VECTORS, LISTS, SPARSE, SELECTED, COLLECTED, ONCE, AGAIN, THRESHOLDS } Data;
static const char *const TYPES[] = {"float32", "float64", "int32", "int64", NULL};
static const char *const DATA[] = {"vector",    "lists",         "sparse",         "selected",
                                   "collected", "selected once", "selected again", "thresholds", NULL};
static const char *const ENCODINGS[] = {"dense", "pairs", "offsets", "bitmap"};

typedef struct { uint64_t at, bits; } Entry; /* a number's place, and its bits */
typedef struct { size_t count; Entry *entries; } Chunk;

static Type type;
static Data data;
static uint64_t p, chunks, n, k; /* ranks, chunks, length, how many are selected */

/* Whether a rank sends some entries, and keeps what is left for its next call. */
static bool selects(void) { return data == SELECTED || data == COLLECTED; }

/* Numbers */

static uint64_t width(void) { return type == FLOAT32 || type == INT32 ? 4 : 8; }

static uint64_t plus(uint64_t a, uint64_t b) {
    if (type == INT32) return (uint32_t)(a + b);
    if (type == INT64) return a + b;
    if (type == FLOAT32) {
        uint32_t ia = (uint32_t)a, ib = (uint32_t)b, sum;
        float x, y;
        memcpy(&x, &ia, 4);
        memcpy(&y, &ib, 4);
        x += y;
        memcpy(&sum, &x, 4);
        return sum;
    }
    double x, y;
    memcpy(&x, &a, 8);
    memcpy(&y, &b, 8);
    x += y;
    memcpy(&a, &x, 8);
    return a;
}

/* The larger a number's magnitude, the larger this; NaN has the largest. */
static uint64_t magnitude(uint64_t bits) {
    if (type == INT32) return bits >> 31 ? (uint32_t)(0 - bits) : bits;
    if (type == INT64) return bits >> 63 ? 0 - bits : bits;
    uint64_t unsigned_ = bits & (type == FLOAT32 ? 0x7fffffff : INT64_MAX);
    uint64_t infinity = type == FLOAT32 ? 0x7f800000 : (uint64_t)0x7ff << 52;
    return unsigned_ > infinity ? UINT64_MAX : unsigned_;
}

static bool is_nan(uint64_t bits) { return type < INT32 && magnitude(bits) == UINT64_MAX; }
static bool same(uint64_t a, uint64_t b) { return a == b || (is_nan(a) && is_nan(b)); }

/* What changes nothing when it is added: -0.0 or 0. */
static uint64_t identity(void) { return type == FLOAT32 ? (uint64_t)1 << 31 : type == FLOAT64 ? (uint64_t)1 << 63 : 0; }

static uint64_t number(const Json *x) {
    uint64_t bits = 0;
    if (x->kind != STRING || strlen(x->text) != 2 * width()) die("has a number of the wrong length");
    for (const char *digit = x->text; *digit; digit++) {
        const char *digits = "0123456789abcdef", *found = strchr(digits, *digit);
        if (!found) die("has a number that is not hexadecimal");
        bits = bits << 4 | (uint64_t)(found - digits);
    }
    return bits;
}

/* Vectors and chunks */

static uint64_t bound(uint64_t c, uint64_t length) { return c * length / chunks; }

static uint64_t size(uint64_t c) { return data == LISTS ? n : bound(c + 1, n) - bound(c, n); }

static Chunk empty(size_t room) { return (Chunk){0, need(room + 1, sizeof(Entry))}; }

static void append(Chunk *x, uint64_t at, uint64_t bits) { x->entries[x->count++] = (Entry){at, bits}; }

/* A vector with all its numbers, or a sparse one. */
static Chunk vector(const Json *x, bool sparse) {
    const Json *bits = sparse ? get(x, "values", ARRAY) : x, *index = sparse ? get(x, "indices", ARRAY) : NULL;
    if (bits->kind != ARRAY || bits->count != (sparse ? index->count : n)) die("has a vector of the wrong length");
    Chunk made = empty(bits->count);
    index = sparse ? index->child : NULL;
    for (bits = bits->child; bits; bits = bits->next) {
        uint64_t at = sparse ? natural(index, LONGEST) : made.count;
        if (at >= n || (made.count && at <= made.entries[made.count - 1].at)) die("has indices that do not ascend to n");
        append(&made, at, number(bits));
        index = sparse ? index->next : NULL;
    }
    return made;
}

static Chunk piece(Chunk x, uint64_t first, uint64_t last) {
    Chunk made = empty(x.count);
    for (size_t i = 0; i < x.count; i++)
        if (first <= x.entries[i].at && x.entries[i].at < last) append(&made, x.entries[i].at - first, x.entries[i].bits);
    return made;
}

/* The sum; what one of them lacks adds nothing. */
static Chunk added(Chunk a, Chunk b) {
    Chunk sum = empty(a.count + b.count);
    for (size_t i = 0, j = 0; i < a.count || j < b.count;) {
        bool from_a = j == b.count || (i < a.count && a.entries[i].at <= b.entries[j].at);
        bool from_b = i == a.count || (j < b.count && b.entries[j].at <= a.entries[i].at);
        Entry x = from_a ? a.entries[i++] : b.entries[j];
        append(&sum, x.at, from_a && from_b ? plus(x.bits, b.entries[j].bits) : x.bits);
        j += from_b;
    }
    return sum;
}

static int by_magnitude(const void *x, const void *y) {
    const Entry *a = x, *b = y;
    uint64_t left_one = magnitude(a->bits), right_one = magnitude(b->bits);
    if (left_one != right_one) return left_one > right_one ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static int by_place(const void *x, const void *y) {
    const Entry *a = x, *b = y;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* The entry at that place, or NULL. */
static const Entry *find(Chunk x, uint64_t at) {
    Entry key = {at, 0};
    return x.count ? bsearch(&key, x.entries, x.count, sizeof key, by_place) : NULL;
}

/* What a rank makes of a chunk before it sends it, and how long the message is */

/* The first of the shortest encodings of m numbers, of the chunk that has so many places, and its bytes. */
static int encoding(uint64_t m, uint64_t places, uint64_t *bytes) {
    uint64_t w = width(), lengths[] = {
        places * w,
        m * (w + (places <= (uint64_t)1 << 32 ? 4 : 8)),
        m * (w + 2) + (places <= BLOCK_SIZE ? 0 : 4 * ((places - 1) / BLOCK_SIZE)),
        m * w + (places + 7) / 8,
    };
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (lengths[i] < lengths[best]) best = i;
    *bytes = 8 + lengths[best];
    return best;
}

static Chunk filled(Chunk x, uint64_t places) {
    Chunk made = empty(places);
    for (uint64_t at = 0, i = 0; at < places; at++) {
        bool there = i < x.count && x.entries[i].at == at;
        append(&made, at, there ? x.entries[i].bits : identity());
        i += there;
    }
    return made;
}

#endif
