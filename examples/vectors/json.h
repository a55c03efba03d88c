/* A small JSON reader for files of strangers: whole numbers only, limits on everything, one sentence on a fault.
 *
 * What is read lives until release().  A fault ends the program with exit code 2.
 */
#ifndef JSON_H
#define JSON_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_SIZE = 16 << 20, DEPTH = 32, VALUES = 4 << 20, FIELDS = 100 };

typedef enum { NOTHING, TRUTH, NUMBER, STRING, ARRAY, OBJECT } Kind;

typedef struct Json {
    Kind kind;
    int64_t number;     /* or the truth */
    const char *text;   /* of a string */
    const char *key;    /* within an object */
    struct Json *child; /* the first item of an array or object */
    struct Json *next;  /* the item after this one */
    size_t count;       /* items */
} Json;

static const char *reading = ""; /* the file's name */
static const char *place, *end;  /* what is not read yet */
static size_t values;

/* Says what is wrong with the file, and ends. */
static void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "%s: ", reading);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

/* Memory: blocks in a list. */
typedef union Block {
    union Block *next;
    uint64_t align;
} Block;

static Block *blocks;

/* Zeroed memory for so many things of so many bytes, until release(). */
static void *need(size_t count, size_t size) {
    if (count > (SIZE_MAX - sizeof(Block)) / size) die("needs too much memory");
    Block *block = calloc(1, sizeof(Block) + count * size);
    if (!block) die("needs too much memory");
    block->next = blocks;
    blocks = block;
    return block + 1;
}

/* Gives back all that was needed since there were only the blocks up to `until`. */
static void release(Block *until) {
    while (blocks != until) {
        Block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
}

static int peek(void) {
    while (place < end && (*place == ' ' || *place == '\n' || *place == '\r' || *place == '\t')) place++;
    return place < end ? *place : 0;
}

static void expect(char c) {
    if (peek() != c) die("is no JSON: '%c' expected %zu bytes before its end", c, (size_t)(end - place));
    place++;
}

/* Four hexadecimal digits, as one byte; what is not ASCII becomes a question mark. */
static char escaped(void) {
    unsigned code = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF", *found = NULL;
        if (place < end && *place) found = strchr(digits, *place++);
        if (!found) die("is no JSON: \\u without four digits");
        code = code * 16 + (unsigned)(found - digits) % 16;
    }
    return code > 0 && code < 128 ? (char)code : '?';
}

static const char *string(void) {
    expect('"');
    size_t length = 0;
    while (place + length < end && place[length] != '"') length += place[length] == '\\' ? 2 : 1;
    char *text = need(length + 1, 1), *to = text;
    while (place < end && *place != '"') {
        char c = *place++;
        if ((unsigned char)c < ' ') die("is no JSON: a control character in a string");
        if (c == '\\' && place < end) {
            static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
            c = *place++;
            const char *found = c ? strchr(names, c) : NULL;
            if (!found && c != 'u') die("is no JSON: an unknown escape in a string");
            c = found ? meant[found - names] : escaped();
        }
        *to++ = c;
    }
    expect('"');
    return text;
}

static int64_t whole(void) {
    bool negative = peek() == '-';
    int64_t x = 0;
    if (negative) place++;
    if (place == end || *place < '0' || *place > '9') die("is no JSON: a value expected");
    for (; place < end && *place >= '0' && *place <= '9'; place++) {
        if (x > (INT64_MAX - 9) / 10) die("has a number that is too large");
        x = x * 10 + (*place - '0');
    }
    if (place < end && (*place == '.' || *place == 'e' || *place == 'E')) die("has a number that is not whole");
    return negative ? -x : x;
}

static bool word(const char *text) {
    size_t length = strlen(text);
    if ((size_t)(end - place) < length || memcmp(place, text, length) != 0) return false;
    place += length;
    return true;
}

static Json *value(int depth);

/* The items of an array or object, up to its closing bracket. */
static void items(Json *x, char close, int depth) {
    Json **last = &x->child;
    place++;
    if (peek() == close) {
        place++;
        return;
    }
    for (;; expect(',')) {
        const char *key = NULL;
        if (x->kind == OBJECT) {
            peek();
            key = string();
            expect(':');
            if (x->count == FIELDS) die("has an object of more than %d fields", FIELDS);
            for (const Json *y = x->child; y; y = y->next)
                if (strcmp(y->key, key) == 0) die("has an object with \"%s\" twice", key);
        }
        *last = value(depth + 1);
        (*last)->key = key;
        last = &(*last)->next;
        x->count++;
        if (peek() == close) break;
    }
    place++;
}

static Json *value(int depth) {
    if (depth > DEPTH) die("is nested more than %d deep", DEPTH);
    if (++values > VALUES) die("has more than %d values", VALUES);
    Json *x = need(1, sizeof *x);
    switch (peek()) {
    case '{': x->kind = OBJECT; items(x, '}', depth); break;
    case '[': x->kind = ARRAY; items(x, ']', depth); break;
    case '"': x->kind = STRING; x->text = string(); break;
    case 't': x->kind = TRUTH; x->number = 1; if (!word("true")) die("is no JSON: true expected"); break;
    case 'f': x->kind = TRUTH; if (!word("false")) die("is no JSON: false expected"); break;
    case 'n': if (!word("null")) die("is no JSON: null expected"); break;
    default: x->kind = NUMBER; x->number = whole();
    }
    return x;
}

/* The file's value. */
static Json *load(const char *path) {
    reading = path;
    FILE *file = fopen(path, "rb");
    if (!file) die("cannot be opened");
    char *text = need(FILE_SIZE + 1, 1);
    size_t size = fread(text, 1, FILE_SIZE + 1, file);
    fclose(file);
    if (size > FILE_SIZE) die("has more than %d bytes", FILE_SIZE);
    place = text;
    end = text + size;
    values = 0;
    Json *x = value(0);
    if (peek() || place < end) die("is no JSON: something follows its end");
    return x;
}

/* The item of that name. */
static const Json *item(const Json *object, const char *key) {
    if (object->kind == OBJECT)
        for (const Json *x = object->child; x; x = x->next)
            if (strcmp(x->key, key) == 0) return x;
    die("lacks \"%s\", which the schema requires", key);
    return NULL;
}

/* The item of that name and kind. */
static const Json *get(const Json *object, const char *key, Kind kind) {
    const Json *x = item(object, key);
    if (x->kind != kind) die("has \"%s\" of another type than the schema says", key);
    return x;
}

/* An object must have these fields, and no others. */
static void closed(const Json *object, const char *names) {
    char name[32];
    size_t wanted = 0;
    for (int used; sscanf(names, "%31s%n", name, &used) == 1; names += used, wanted++) item(object, name);
    if (object->count > wanted) die("has an object of %zu fields where the schema has %zu", object->count, wanted);
}

/* What is around the groups of a file. */
static void closed_file(const Json *file) {
    closed(file, "schema algorithm title data test_count notes groups");
    for (const Json *note = get(file, "notes", OBJECT)->child; note; note = note->next)
        closed(note, "kind description effect");
    if (!get(file, "groups", ARRAY)->count) die("has no groups");
}

/* What is around the calls of a test, the `count`-th of its file, of so many calls. */
static void closed_test(const Json *test, uint64_t count, size_t least, size_t most) {
    closed(test, "id comment flags dtype n calls");
    const Json *id = get(test, "id", NUMBER), *calls = get(test, "calls", ARRAY);
    if (id->number < 0 || (uint64_t)id->number != count) die("lacks test %zu", (size_t)count);
    if (calls->count < least || calls->count > most) die("has a test of %zu calls", calls->count);
}

/* A number that must be at most so large. */
static uint64_t natural(const Json *x, uint64_t most) {
    if (x->kind != NUMBER || x->number < 0 || (uint64_t)x->number > most) die("has a number that is out of range");
    return (uint64_t)x->number;
}

#endif
