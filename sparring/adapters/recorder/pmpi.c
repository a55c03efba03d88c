/* Writes what each rank of an MPI program sends, has room for and calls, as JSON lines: docs/reference/trace.md.

   mpicc -shared -fPIC -o recorder.so pmpi.c
   SPARRING_TRACE=FOLDER LD_PRELOAD=./recorder.so mpiexec -n 4 ./a.out

   It stands between the program and MPI by MPI's profiling interface: every call is noted and then made. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HERE __builtin_return_address(0)
#define COMMS 4096

static FILE *file;
static int rank, seq, comms;
static MPI_Comm known[COMMS]; /* by their numbers; MPI_COMM_NULL where one was freed */
static MPI_Group world;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* BLAKE2b of 8 bytes without a key, RFC 7693. */

static const uint64_t IV[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                               0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
static const uint8_t SIGMA[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

static uint64_t turned(uint64_t x, int by) { return x >> by | x << (64 - by); }

static void mix(uint64_t *v, int a, int b, int c, int d, uint64_t x, uint64_t y)
{
    v[a] += v[b] + x;
    v[d] = turned(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = turned(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = turned(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = turned(v[b] ^ v[c], 63);
}

static void compress(uint64_t *h, const uint8_t *block, uint64_t bytes, int last)
{
    uint64_t v[16], m[16] = {0};
    for (int i = 0; i < 128; i++)
        m[i / 8] |= (uint64_t)block[i] << (8 * (i % 8));
    memcpy(v, h, 64);
    memcpy(v + 8, IV, 64);
    v[12] ^= bytes;
    v[14] ^= last ? ~(uint64_t)0 : 0;
    for (int round = 0; round < 12; round++) {
        const uint8_t *s = SIGMA[round % 10];
        for (int i = 0; i < 4; i++)
            mix(v, i, 4 + i, 8 + i, 12 + i, m[s[2 * i]], m[s[2 * i + 1]]);
        for (int i = 0; i < 4; i++)
            mix(v, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[s[8 + 2 * i]], m[s[9 + 2 * i]]);
    }
    for (int i = 0; i < 8; i++)
        h[i] ^= v[i] ^ v[i + 8];
}

static void digest(const uint8_t *data, size_t bytes, char *text)
{
    uint64_t h[8], done = 0;
    uint8_t block[128];
    memcpy(h, IV, 64);
    h[0] ^= 0x01010000 ^ 8;
    for (; bytes - done > 128; done += 128)
        compress(h, data + done, done + 128, 0);
    memset(block, 0, 128);
    if (bytes)
        memcpy(block, data + done, bytes - done);
    compress(h, block, bytes, 1);
    for (int i = 0; i < 8; i++)
        sprintf(text + 2 * i, "%02x", (unsigned)(h[0] >> (8 * i) & 255));
}

/* What is told of a call. */

static const char *dtype(MPI_Datatype type)
{
    if (type == MPI_DOUBLE) return "float64";
    if (type == MPI_FLOAT) return "float32";
    if (type == MPI_INT || type == MPI_INT32_T) return "int32";
    if (type == MPI_INT64_T || type == MPI_LONG_LONG) return "int64";
    if (type == MPI_LONG) return sizeof(long) == 8 ? "int64" : "int32";
    if (type == MPI_UINT32_T || type == MPI_UNSIGNED) return "uint32";
    if (type == MPI_UINT64_T || type == MPI_UNSIGNED_LONG_LONG) return "uint64";
    if (type == MPI_SHORT || type == MPI_INT16_T) return "int16";
    if (type == MPI_UINT16_T || type == MPI_UNSIGNED_SHORT) return "uint16";
    if (type == MPI_INT8_T || type == MPI_SIGNED_CHAR) return "int8";
    return NULL; /* told as bytes */
}

static int context(MPI_Comm comm)
{
    for (int i = 0; i < comms; i++)
        if (known[i] == comm)
            return i;
    if (comms == COMMS) {
        fprintf(stderr, "sparring: more than %d communicators cannot be recorded\n", COMMS);
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    known[comms] = comm;
    return comms++;
}

static int peer_of(int peer, MPI_Comm comm)
{
    int there = -1;
    MPI_Group group;
    if (peer == MPI_ANY_SOURCE)
        return -1;
    PMPI_Comm_group(comm, &group);
    PMPI_Group_translate_ranks(group, 1, &peer, world, &there);
    PMPI_Group_free(&group);
    return there < 0 ? -1 : there;
}

static void place(void *address, char *text, size_t size)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname) {
        snprintf(text, size, "?");
        return;
    }
    const char *name = strrchr(info.dli_fname, '/');
    snprintf(text, size, "%.200s+0x%lx", name ? name + 1 : info.dli_fname,
             (unsigned long)((char *)address - (char *)info.dli_fbase));
    for (char *c = text; *c; c++)
        if (*c == '"' || *c == '\\' || *c < ' ' || *c > '~')
            *c = '?';
}

static void event(const char *op, const char *call, int peer, int tag, MPI_Comm comm, long long count, const char *type,
                  long long bytes, const char *seen, void *at)
{
    char where[300];
    if (!file)
        return;
    place(at, where, sizeof where);
    pthread_mutex_lock(&lock);
    fprintf(file,
            "{\"rank\":%d,\"seq\":%d,\"op\":\"%s\",\"call\":\"%s\",\"peer\":%d,\"tag\":%d,\"context\":%d,\"step\":null,"
            "\"count\":%lld,\"dtype\":\"%s\",\"nbytes\":%lld,\"digest\":\"%s\",\"where\":\"%s\"}\n",
            rank, seq++, op, call, peer, tag, context(comm), count, type, bytes, seen, where);
    pthread_mutex_unlock(&lock);
}

static void sends(const char *call, const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, void *at)
{
    char seen[17];
    int bytes, used = 0;
    if (!file || dest == MPI_PROC_NULL)
        return;
    PMPI_Pack_size(count, type, comm, &bytes);
    uint8_t *packed = malloc(bytes ? bytes : 1);
    PMPI_Pack(buf, count, type, packed, bytes, &used, comm); /* what travels, whatever the type */
    digest(packed, used, seen);
    free(packed);
    const char *name = dtype(type);
    event("send", call, peer_of(dest, comm), tag, comm, name ? count : used, name ? name : "uint8", used, seen, at);
}

static void receives(const char *call, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, void *at)
{
    int size;
    if (!file || source == MPI_PROC_NULL)
        return;
    PMPI_Type_size(type, &size);
    long long bytes = (long long)count * size;
    const char *name = dtype(type);
    event("receive", call, peer_of(source, comm), tag == MPI_ANY_TAG ? -1 : tag, comm, name ? count : bytes,
          name ? name : "uint8", bytes, "", at);
}

static void meets(const char *call, int count, MPI_Datatype type, MPI_Comm comm, void *at)
{
    int size = 0;
    if (!file)
        return;
    if (count)
        PMPI_Type_size(type, &size);
    long long bytes = (long long)count * size;
    event("collective", call, -1, -1, comm, bytes, "uint8", bytes, "", at);
}

/* Beginning and end. */

static void begin(void)
{
    char path[4096];
    int ranks;
    const char *folder = getenv("SPARRING_TRACE");
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    context(MPI_COMM_WORLD);
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/rank%d.jsonl", folder, rank);
    if (!(file = fopen(path, "w"))) {
        fprintf(stderr, "sparring: %s cannot be written\n", path);
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    fprintf(file, "{\"format\":\"sparring trace\",\"version\":1,\"ranks\":%d,\"rank\":%d}\n", ranks, rank);
}

int MPI_Init(int *argc, char ***argv)
{
    int code = PMPI_Init(argc, argv);
    begin();
    return code;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int code = PMPI_Init_thread(argc, argv, required, provided);
    begin();
    return code;
}

int MPI_Finalize(void)
{
    if (file)
        fclose(file);
    file = NULL;
    return PMPI_Finalize();
}

/* Messages. */

#define SEND(Name)                                                                                                     \
    int MPI_##Name(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)                    \
    {                                                                                                                  \
        sends(#Name, buf, count, type, dest, tag, comm, HERE);                                                         \
        return PMPI_##Name(buf, count, type, dest, tag, comm);                                                         \
    }
#define ISEND(Name)                                                                                                    \
    int MPI_##Name(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *req)  \
    {                                                                                                                  \
        sends(#Name, buf, count, type, dest, tag, comm, HERE);                                                         \
        return PMPI_##Name(buf, count, type, dest, tag, comm, req);                                                    \
    }
SEND(Send)
SEND(Ssend)
SEND(Bsend)
SEND(Rsend)
ISEND(Isend)
ISEND(Issend)
ISEND(Ibsend)
ISEND(Irsend)

int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    receives("Recv", count, type, source, tag, comm, HERE);
    return PMPI_Recv(buf, count, type, source, tag, comm, status);
}

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    receives("Irecv", count, type, source, tag, comm, HERE);
    return PMPI_Irecv(buf, count, type, source, tag, comm, request);
}

int MPI_Sendrecv(const void *out, int sent, MPI_Datatype type, int dest, int tag, void *in, int room, MPI_Datatype kind,
                 int source, int match, MPI_Comm comm, MPI_Status *status)
{
    sends("Sendrecv", out, sent, type, dest, tag, comm, HERE);
    receives("Sendrecv", room, kind, source, match, comm, HERE);
    return PMPI_Sendrecv(out, sent, type, dest, tag, in, room, kind, source, match, comm, status);
}

int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int tag, int source, int match,
                         MPI_Comm comm, MPI_Status *status)
{
    sends("Sendrecv_replace", buf, count, type, dest, tag, comm, HERE);
    receives("Sendrecv_replace", count, type, source, match, comm, HERE);
    return PMPI_Sendrecv_replace(buf, count, type, dest, tag, source, match, comm, status);
}

/* Collectives. */

#define MEET(Name, count, type, comm, Parameters, Arguments)                                                           \
    int MPI_##Name Parameters                                                                                          \
    {                                                                                                                  \
        meets(#Name, count, type, comm, HERE);                                                                         \
        return PMPI_##Name Arguments;                                                                                  \
    }
MEET(Barrier, 0, MPI_BYTE, comm, (MPI_Comm comm), (comm))
MEET(Bcast, n, t, comm, (void *b, int n, MPI_Datatype t, int root, MPI_Comm comm), (b, n, t, root, comm))
MEET(Allreduce, n, t, comm, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
     (s, r, n, t, op, comm))
MEET(Iallreduce, n, t, comm, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm, MPI_Request *q),
     (s, r, n, t, op, comm, q))
MEET(Reduce, n, t, comm, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm),
     (s, r, n, t, op, root, comm))
MEET(Scan, n, t, comm, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
     (s, r, n, t, op, comm))
MEET(Reduce_scatter_block, n, t, comm, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
     (s, r, n, t, op, comm))
MEET(Allgather, n, t, comm, (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm comm),
     (s, n, t, r, m, u, comm))
MEET(Allgatherv, n, t, comm,
     (const void *s, int n, MPI_Datatype t, void *r, const int *m, const int *d, MPI_Datatype u, MPI_Comm comm),
     (s, n, t, r, m, d, u, comm))
MEET(Alltoall, n, t, comm, (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm comm),
     (s, n, t, r, m, u, comm))
MEET(Gather, n, t, comm,
     (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, int root, MPI_Comm comm),
     (s, n, t, r, m, u, root, comm))
MEET(Scatter, m, u, comm,
     (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, int root, MPI_Comm comm),
     (s, n, t, r, m, u, root, comm))

/* Communicators, numbered as a rank gets them. */

static int gets(int code, MPI_Comm *comm)
{
    if (code == MPI_SUCCESS && *comm != MPI_COMM_NULL) {
        pthread_mutex_lock(&lock);
        context(*comm);
        pthread_mutex_unlock(&lock);
    }
    return code;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) { return gets(PMPI_Comm_dup(comm, made), made); }

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *made)
{
    return gets(PMPI_Comm_split(comm, colour, key, made), made);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    pthread_mutex_lock(&lock);
    known[context(*comm)] = MPI_COMM_NULL; /* its number is not given again */
    pthread_mutex_unlock(&lock);
    return PMPI_Comm_free(comm);
}

/* What no log could follow. */

#define REFUSE(Name, Parameters)                                                                                       \
    int MPI_##Name Parameters                                                                                          \
    {                                                                                                                  \
        fprintf(stderr, "sparring: MPI_" #Name " cannot be recorded: use nonblocking calls\n");                        \
        return PMPI_Abort(MPI_COMM_WORLD, 1);                                                                          \
    }
REFUSE(Start, (MPI_Request * request))
REFUSE(Startall, (int count, MPI_Request *requests))
