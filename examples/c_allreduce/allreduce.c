/* An allreduce in C, and what it takes to have it judged: a reader and a writer of files.

   mpicc -o allreduce allreduce.c
   sparring check --dtype float64 -- mpiexec -n {p} ./allreduce {batch}            many examples a launch
   sparring check --dtype float64 -- mpiexec -n {p} ./allreduce {input} {output}   one

   mpicc -DPLANTED -o planted allreduce.c   makes one that forgets entries where p does not divide n. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The allreduce under test, in place: a ring of chunks, which are added on the first lap and
   overwritten on the second. */
static int start(int chunk, int n, int ranks)
{
#ifdef PLANTED
    return chunk * (n / ranks); /* what remains of the division belongs to no chunk */
#else
    return (int)((long long)chunk * n / ranks);
#endif
}

static void allreduce(double *y, int n, MPI_Comm comm)
{
    int rank, p;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    double *incoming = malloc(sizeof(double) * (n / p + 1));
    for (int t = 0; t < 2 * (p - 1); t++) {
        int mine = (rank - t + 2 * p) % p, theirs = (mine - 1 + p) % p;
        int from = start(mine, n, p), to = start(theirs, n, p);
        int sent = start(mine + 1, n, p) - from, count = start(theirs + 1, n, p) - to;
        MPI_Sendrecv(y + from, sent, MPI_DOUBLE, (rank + 1) % p, 0, incoming, count, MPI_DOUBLE, (rank - 1 + p) % p, 0,
                     comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++)
            y[to + i] = t < p - 1 ? y[to + i] + incoming[i] : incoming[i];
    }
    free(incoming);
}

/* The entries that follow the first line of FOLDER/rankR.bin; the line says how many. */
static double *read_vector(const char *folder, int rank, int *n)
{
    char path[4096], line[4096], *at = NULL;
    snprintf(path, sizeof path, "%s/rank%d.bin", folder, rank);
    FILE *file = fopen(path, "rb");
    if (!file || !fgets(line, sizeof line, file) || !(at = strstr(line, "\"n\":")) ||
        !strstr(line, "\"dtype\":\"float64\"")) {
        fprintf(stderr, "%s: no vector of float64\n", path);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    *n = atoi(at + 4);
    double *x = malloc(sizeof(double) * (*n ? *n : 1));
    if (fread(x, sizeof(double), *n, file) != (size_t)*n)
        MPI_Abort(MPI_COMM_WORLD, 2);
    fclose(file);
    return x;
}

static void write_vector(const char *folder, int rank, const double *y, int n)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/rank%d.bin", folder, rank);
    FILE *file = fopen(path, "wb");
    if (!file)
        MPI_Abort(MPI_COMM_WORLD, 2);
    fprintf(file, "{\"n\":%d,\"dtype\":\"float64\"}\n", n);
    fwrite(y, sizeof(double), n, file);
    fclose(file);
}

/* One example: what lies in the folder INPUT is added up, and the sum is written into the folder OUTPUT. */
static void play(const char *input, const char *output, int rank)
{
    int n;
    double *x = read_vector(input, rank, &n);
    allreduce(x, n, MPI_COMM_WORLD);
    write_vector(output, rank, x, n);
    free(x);
}

/* Many examples: BATCH/0/input and BATCH/0/output are the folders of the first, and so on as long as there are any. */
static void play_all(const char *batch, int rank)
{
    char input[4096], output[4096];
    for (int i = 0;; i++) {
        snprintf(input, sizeof input, "%s/%d/input", batch, i);
        snprintf(output, sizeof output, "%s/%d/output", batch, i);
        if (access(input, F_OK))
            return;
        play(input, output, rank);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc == 2) {
        play_all(argv[1], rank);
    } else if (argc == 3) {
        play(argv[1], argv[2], rank);
    } else {
        fprintf(stderr, "usage: %s BATCH | INPUT OUTPUT\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Finalize();
    return 0;
}
