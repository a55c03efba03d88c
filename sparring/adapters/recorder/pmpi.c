/* Writes what each rank of an MPI program sends, has room for and calls, as JSON lines: docs/reference/trace.md.

   mpicc -shared -fPIC -o recorder.so pmpi.c
   SPARRING_TRACE=FOLDER LD_PRELOAD=./recorder.so mpiexec -n 4 ./a.out

   It stands between the program and MPI by MPI's profiling interface: every call is noted and then made. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "blake2b.h"

#define HERE __builtin_return_address(0)
#define COMMS 4096

static FILE *file;
static int rank, seq, comms;
static MPI_Comm known[COMMS]; /* by their numbers; MPI_COMM_NULL where one was freed */
static MPI_Group world;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Ends the program with a sentence, once the launcher has read it: what is left in the pipe then, it may drop. */
static void refuse(const char *sentence, ...)
{
    int unread = 0, naps = 1000; /* of a millisecond */
    va_list what;
    va_start(what, sentence);
    vfprintf(stderr, sentence, what);
    va_end(what);
    while (naps-- && !ioctl(2, FIONREAD, &unread) && unread)
        usleep(1000);
    PMPI_Abort(MPI_COMM_WORLD, 1);
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
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < comms && known[i] != comm)
        i++;
    if (i == COMMS)
        refuse("sparring: more than %d communicators cannot be recorded\n", COMMS);
    if (i == comms)
        known[comms++] = comm;
    pthread_mutex_unlock(&lock);
    return i;
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

static void event(const char *op, const char *call, int peer, int tag, int context, long long count, const char *type,
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
            rank, seq++, op, call, peer, tag, context, count, type, bytes, seen, where);
    pthread_mutex_unlock(&lock);
}

/* A send or a receive, with its other end as it was when it was posted, or made to be posted again and again. */
typedef struct Message {
    MPI_Request request; /* of a persistent one */
    int sends;
    const void *buf;
    int count;
    MPI_Datatype type;
    int peer, tag, context; /* a rank of the world; SILENT where nothing travels */
    struct Message *next;
} Message;
#define SILENT -2

static Message message(int sends, const void *buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    Message made = {MPI_REQUEST_NULL, sends, buf, count, type, SILENT, tag, 0, NULL};
    if (peer != MPI_PROC_NULL) {
        made.peer = peer_of(peer, comm);
        made.context = context(comm);
    }
    return made;
}

static void note(const char *call, const Message *m, void *at)
{
    char seen[17] = "";
    int bytes, size, used = 0;
    const char *name = dtype(m->type);
    if (!file || m->peer == SILENT)
        return;
    if (m->sends) {
        PMPI_Pack_size(m->count, m->type, MPI_COMM_WORLD, &bytes);
        uint8_t *packed = malloc(bytes ? bytes : 1);
        PMPI_Pack(m->buf, m->count, m->type, packed, bytes, &used, MPI_COMM_WORLD); /* what travels */
        digest(packed, used, seen);
        free(packed);
    }
    PMPI_Type_size(m->type, &size);
    long long room = m->sends ? used : (long long)m->count * size;
    event(m->sends ? "send" : "receive", call, m->peer, m->tag == MPI_ANY_TAG ? -1 : m->tag, m->context,
          name ? m->count : room, name ? name : "uint8", room, seen, at);
}

static void posts(int sends, const char *call, const void *buf, int count, MPI_Datatype type, int peer, int tag,
                  MPI_Comm comm, void *at)
{
    if (!file)
        return;
    Message m = message(sends, buf, count, type, peer, tag, comm);
    note(call, &m, at);
}

static void meets(const char *call, int count, MPI_Datatype type, MPI_Comm comm, void *at)
{
    int size = 0;
    if (!file)
        return;
    if (count)
        PMPI_Type_size(type, &size);
    long long bytes = (long long)count * size;
    event("collective", call, -1, -1, context(comm), bytes, "uint8", bytes, "", at);
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
    if (!(file = fopen(path, "w")))
        refuse("sparring: %s cannot be written\n", path);
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
        posts(1, #Name, buf, count, type, dest, tag, comm, HERE);                                                      \
        return PMPI_##Name(buf, count, type, dest, tag, comm);                                                         \
    }
#define ISEND(Name)                                                                                                    \
    int MPI_##Name(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *req)  \
    {                                                                                                                  \
        posts(1, #Name, buf, count, type, dest, tag, comm, HERE);                                                      \
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
    posts(0, "Recv", buf, count, type, source, tag, comm, HERE);
    return PMPI_Recv(buf, count, type, source, tag, comm, status);
}

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    posts(0, "Irecv", buf, count, type, source, tag, comm, HERE);
    return PMPI_Irecv(buf, count, type, source, tag, comm, request);
}

int MPI_Sendrecv(const void *out, int sent, MPI_Datatype type, int dest, int tag, void *in, int room, MPI_Datatype kind,
                 int source, int match, MPI_Comm comm, MPI_Status *status)
{
    posts(1, "Sendrecv", out, sent, type, dest, tag, comm, HERE);
    posts(0, "Sendrecv", in, room, kind, source, match, comm, HERE);
    return PMPI_Sendrecv(out, sent, type, dest, tag, in, room, kind, source, match, comm, status);
}

int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int tag, int source, int match,
                         MPI_Comm comm, MPI_Status *status)
{
    posts(1, "Sendrecv_replace", buf, count, type, dest, tag, comm, HERE);
    posts(0, "Sendrecv_replace", buf, count, type, source, match, comm, HERE);
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
    if (code == MPI_SUCCESS && *comm != MPI_COMM_NULL)
        context(*comm);
    return code;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) { return gets(PMPI_Comm_dup(comm, made), made); }

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *made)
{
    return gets(PMPI_Comm_split(comm, colour, key, made), made);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    known[context(*comm)] = MPI_COMM_NULL; /* its number is not given again */
    return PMPI_Comm_free(comm);
}

/* Persistent requests: noted whenever they are started. */

static Message *persistent;

static int keeps(int code, Message m, MPI_Request *request)
{
    Message *kept = malloc(sizeof m);
    m.request = *request;
    if (!dtype(m.type))
        PMPI_Type_dup(m.type, &m.type); /* the program may free its own */
    *kept = m;
    pthread_mutex_lock(&lock);
    kept->next = persistent;
    persistent = kept;
    pthread_mutex_unlock(&lock);
    return code;
}

static Message **found(MPI_Request request)
{
    Message **at = &persistent;
    while (*at && (*at)->request != request)
        at = &(*at)->next;
    return at;
}

static void starts(const char *call, MPI_Request request, void *at)
{
    pthread_mutex_lock(&lock);
    Message *m = *found(request);
    pthread_mutex_unlock(&lock);
    if (m)
        note(call, m, at);
    else if (file)
        refuse("sparring: MPI_%s of a collective or of parts of a message cannot be recorded\n", call);
}

#define SEND_INIT(Name)                                                                                                \
    int MPI_##Name(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *req)  \
    {                                                                                                                  \
        Message m = message(1, buf, count, type, dest, tag, comm);                                                     \
        return keeps(PMPI_##Name(buf, count, type, dest, tag, comm, req), m, req);                                     \
    }
SEND_INIT(Send_init)
SEND_INIT(Ssend_init)
SEND_INIT(Bsend_init)
SEND_INIT(Rsend_init)

int MPI_Recv_init(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *req)
{
    Message m = message(0, buf, count, type, source, tag, comm);
    return keeps(PMPI_Recv_init(buf, count, type, source, tag, comm, req), m, req);
}

int MPI_Start(MPI_Request *request)
{
    starts("Start", *request, HERE);
    return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request *requests)
{
    for (int i = 0; i < count; i++)
        starts("Startall", requests[i], HERE);
    return PMPI_Startall(count, requests);
}

int MPI_Request_free(MPI_Request *request)
{
    pthread_mutex_lock(&lock);
    Message **at = found(*request), *gone = *at;
    if (gone)
        *at = gone->next; /* its handle may be given again */
    pthread_mutex_unlock(&lock);
    if (gone && !dtype(gone->type))
        PMPI_Type_free(&gone->type);
    free(gone);
    return PMPI_Request_free(request);
}
