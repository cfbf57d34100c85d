/* Streams of the driver of the tests: work is done as late as it can be, when somebody asks whether it is over.
 *
 * So a program that uses memory too early, or gives it away too early, reads or computes something else. A stream
 * holds FAKE_DEPTH launches and copies (1022, as an H200 does; graphs count one, events and waits nothing). One more
 * waits inside the driver until there is room, which fake_blocked() counts. */

#include <unistd.h>

typedef struct {
  char name[128];
  int arguments;
  int (*run)(uint64_t *, unsigned, unsigned, unsigned);
  const int *unloaded; /* of its module */
} function_t;
typedef struct { function_t *function; unsigned grid, block, shared; uint64_t *arguments; } kernel_t;
typedef struct { kernel_t *kernels; int count, holders; } graph_t;
enum { LAUNCH, COPY, WAIT, FREE };
typedef struct op {
  struct op *next;
  int kind;
  long ticket;
  graph_t *graph; int at; double until;            /* LAUNCH: the kernels, the one that runs, and when it ends */
  uintptr_t to, from; size_t size;                 /* COPY, and FREE of `to` */
  struct stream *other; long other_ticket;         /* WAIT */
} op_t;
typedef struct stream {
  int id, device, capturing, broken, advancing;
  graph_t *graph;
  op_t *first, *last;
  long queued, done, length;
} stream_t;

static stream_t *all_streams[1024];
static int stream_count;
static long blocked;
long fake_blocked(void) { return blocked; }

static long number(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text && *text ? atol(text) : otherwise;
}
/* 1 and 2 stand for the default streams, which nothing is ever queued on here */
static int is_default(const void *stream) { return (uintptr_t)stream <= 2; }

static void drop_graph(graph_t *graph) {
  if (!graph || --graph->holders) return;
  for (int i = 0; i < graph->count; i++) free(graph->kernels[i].arguments);
  free(graph->kernels);
  free(graph);
}

/* --- what the card does */

static void write_table(uint64_t *arguments) {
  memcpy((uint64_t *)arguments[0] + arguments[1], arguments + 3, 8 * arguments[2]);
}
static void carry(uint64_t *arguments) {
  uint64_t *state = (uint64_t *)arguments[3], *signal = (uint64_t *)arguments[4];
  memcpy((void *)arguments[0], (void *)arguments[1], 8 * arguments[2]);
  if (signal) *signal = ++state[1];
}
static void compute(kernel_t *kernel) {
  function_t *function = kernel->function;
  if (!strcmp(function->name, "write_table")) write_table(kernel->arguments);
  else if (!strcmp(function->name, "carry")) carry(kernel->arguments);
  else if (function->run && function->run(kernel->arguments, kernel->grid, kernel->block, kernel->shared)) {
    fprintf(stderr, "threads of a block of %s wait at different barriers\n", function->name);
    _exit(70);
  }
}
static void advance(stream_t *stream);
/* whether the op is over */
static int perform(stream_t *stream, op_t *op) {
  if (op->kind == WAIT) {
    advance(op->other);
    return op->other->done >= op->other_ticket;
  }
  if (op->kind == COPY) memmove((void *)op->to, (void *)op->from, op->size);
  if (op->kind == FREE) {
    memset((void *)op->to, 0xa5, op->size);
    free((void *)(op->to - 512));
  }
  for (; op->kind == LAUNCH && op->at < op->graph->count; op->at++, op->until = -1) {
    kernel_t *kernel = &op->graph->kernels[op->at];
    if (op->until < 0) op->until = kernel_begins(kernel->function->name, stream->device);
    if (op->until == HELD && !holding) op->until = 0;
    if (lost[stream->device] || milliseconds() < op->until) return 0;
    compute(kernel);
  }
  return 1;
}
static void advance(stream_t *stream) {
  if (stream->advancing) return; /* streams may wait for each other in turn */
  stream->advancing = 1;
  while (stream->first && !lost[stream->device] && perform(stream, stream->first)) {
    op_t *op = stream->first;
    stream->first = op->next;
    if (!stream->first) stream->last = NULL;
    stream->done = op->ticket;
    stream->length -= op->kind == LAUNCH || op->kind == COPY;
    drop_graph(op->graph);
    free(op);
  }
  stream->advancing = 0;
}

/* --- what the driver does */

/* A call waits inside the driver; nothing of ours may do that behind a kernel that never ends. */
static void wait_inside(stream_t *stream, const char *why) {
  op_t *op = stream->first;
  while (op && op->kind == WAIT) op = op->other->first;
  if (op && op->until >= FOREVER) {
    fprintf(stderr, "%s while a kernel never ends: the driver would not return\n", why);
    _exit(70);
  }
  pthread_mutex_unlock(&one_call);
  usleep(200);
  pthread_mutex_lock(&one_call);
  advance(stream);
}
static op_t *enqueue(stream_t *stream, int kind) {
  int counted = kind == LAUNCH || kind == COPY;
  long depth = number("FAKE_DEPTH", 1022);
  if (counted && stream->length >= depth) advance(stream);
  if (counted && stream->length >= depth) blocked++;
  while (counted && stream->length >= depth && !lost[stream->device]) wait_inside(stream, "the launch queue is full");
  op_t *op = calloc(1, sizeof *op);
  op->kind = kind;
  op->until = -1;
  op->ticket = ++stream->queued;
  stream->length += counted;
  if (stream->last) stream->last->next = op; else stream->first = op;
  return stream->last = op;
}
/* What waits for all work of a card before it begins. */
static void settle(int device, const char *why) {
  for (int i = 0; i < stream_count; i++) {
    stream_t *stream = all_streams[i];
    if (stream->device != device) continue;
    advance(stream);
    if (stream->first && !lost[device]) blocked++;
    while (stream->first && !lost[device]) wait_inside(stream, why);
  }
}
