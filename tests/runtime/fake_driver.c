/* A driver without a GPU: enough of libcuda for tests of the runtime on any machine with a C compiler.
 *
 * Memory is host memory, copies happen at once, kernels do nothing but appear in the log. What a GPU does to a
 * program is chosen by the name of a kernel:
 *
 *   endless...   never ends: its stream, and whatever waits for it, stays busy
 *   faulty...    an illegal address: from then on every call of its context fails with the same error
 *   carry        copies as the kernel of runtime/cuda/call.py does, where it is part of a graph
 *
 * Code that begins with "refused" cannot be loaded. FAKE_GPUS says how many there are (2), FAKE_BYTES how much memory each has (1 GiB). */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, INVALID_IMAGE = 200, NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700 };
typedef struct { int id, device, stuck, capturing; struct graph *graph; } stream_t;
typedef struct { stream_t *stream; int stuck; double at; } event_t;
typedef struct { char name[128]; } function_t;
typedef struct { uint64_t *to, *from, words, *state, *signal; } carry_t;
typedef struct graph { int kernels; int stuck, faulty; int carries; carry_t carry[8]; } graph_t;

static char log_text[1 << 20];
static size_t log_size;
static int streams, lost[16];
static _Thread_local int current;
static size_t used[16];
static double clock_ms;

static void note(const char *what, long a, const char *name) {
  int n = snprintf(log_text + log_size, sizeof log_text - log_size, "%s %ld %s\n", what, a, name);
  if (n > 0 && log_size + (size_t)n < sizeof log_text) log_size += (size_t)n;
}
const char *fake_log(void) { return log_text; }
void fake_clear(void) { log_size = 0; log_text[0] = 0; }

static long number(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text && *text ? atol(text) : otherwise;
}
#define ALIVE if (lost[current]) return ILLEGAL_ADDRESS
/* 1 and 2 stand for the default streams, which nothing is ever queued on here */
static int is_default(const void *stream) { return (uintptr_t)stream <= 2; }

int cuGetProcAddress_v2(const char *name, void **found, int version, uint64_t flags, int *status) {
  (void)version; (void)flags;
  *found = dlsym(RTLD_DEFAULT, name);
  if (!*found) {
    Dl_info self;
    if (dladdr((void *)cuGetProcAddress_v2, &self)) {
      void *library = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
      if (library) *found = dlsym(library, name);
    }
  }
  if (status) *status = *found ? 0 : 1;
  return *found ? OK : NOT_FOUND;
}
int cuInit(unsigned flags) { (void)flags; return number("FAKE_GPUS", 2) ? OK : 100; }
int cuDriverGetVersion(int *version) { *version = 13000; return OK; }
int cuDeviceGetCount(int *count) { *count = (int)number("FAKE_GPUS", 2); return OK; }
int cuDeviceGet(int *device, int number_) { *device = number_; return OK; }
int cuDeviceGetName(char *name, int room, int device) { snprintf(name, (size_t)room, "fake %d", device); return OK; }
int cuDeviceGetAttribute(int *value, int which, int device) {
  (void)device;
  /* capability 9.0, 4 processors, 227 KiB of shared memory */
  *value = which == 75 ? 9 : which == 76 ? 0 : which == 16 ? 4 : which == 97 ? 232448 : 1;
  return OK;
}
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = (void *)(uintptr_t)(device + 1); return OK; }
int cuCtxSetCurrent(void *context) { current = (int)(uintptr_t)context - 1; return OK; }
int cuCtxGetCurrent(void **context) { *context = (void *)(uintptr_t)(current + 1); return OK; }
int cuDeviceGetDefaultMemPool(void **pool, int device) { *pool = (void *)(uintptr_t)(device + 1); return OK; }
int cuMemPoolSetAttribute(void *pool, int which, void *value) { (void)pool; (void)which; (void)value; return OK; }
int cuMemPoolTrimTo(void *pool, size_t keep) { (void)pool; (void)keep; return OK; }
int cuMemGetInfo(size_t *room, size_t *total) {
  *total = (size_t)number("FAKE_BYTES", 1L << 30);
  *room = *total - used[current];
  return OK;
}
int cuGetErrorName(int error, const char **text) {
  *text = error == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : error == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR";
  return OK;
}
int cuGetErrorString(int error, const char **text) {
  *text = error == ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : error == OUT_OF_MEMORY ? "out of memory" : "an error";
  return OK;
}

/* --- memory: the size is kept in front of the block, which is 512-byte aligned */
static int allocate(uintptr_t *address, size_t size) {
  if (used[current] + size > (size_t)number("FAKE_BYTES", 1L << 30)) return OUT_OF_MEMORY;
  char *block = aligned_alloc(512, (size + 1023) / 512 * 512);
  if (!block) return OUT_OF_MEMORY;
  *(size_t *)block = size;
  used[current] += size;
  *address = (uintptr_t)block + 512;
  return OK;
}
int cuMemAllocAsync(uintptr_t *address, size_t size, stream_t *stream) { ALIVE; (void)stream; return allocate(address, size); }
int cuMemFreeAsync(uintptr_t address, stream_t *stream) {
  ALIVE;
  (void)stream;
  used[current] -= *(size_t *)(address - 512);
  free((void *)(address - 512));
  note("free", 0, "");
  return OK;
}
int cuMemHostAlloc(void **address, size_t size, unsigned flags) { (void)flags; *address = aligned_alloc(4096, (size + 4095) / 4096 * 4096); return OK; }
int cuMemFreeHost(void *address) { free(address); return OK; }
int cuPointerGetAttribute(void *value, int which, uintptr_t address) { (void)value; (void)which; (void)address; return INVALID; }
static int copy(uintptr_t to, uintptr_t from, size_t size, const char *kind, stream_t *stream) {
  ALIVE;
  memcpy((void *)to, (void *)from, size);
  note("copy", stream ? stream->id : 0, kind);
  return OK;
}
int cuMemcpyHtoDAsync(uintptr_t to, const void *from, size_t size, stream_t *s) { return copy(to, (uintptr_t)from, size, "in", s); }
int cuMemcpyDtoHAsync(void *to, uintptr_t from, size_t size, stream_t *s) { return copy((uintptr_t)to, from, size, "out", s); }
int cuMemcpyAsync(uintptr_t to, uintptr_t from, size_t size, stream_t *s) { return copy(to, from, size, "on", s); }
int cuMemcpyPeerAsync(uintptr_t to, void *a, uintptr_t from, void *b, size_t size, stream_t *s) {
  (void)a; (void)b;
  return copy(to, from, size, "peer", s);
}

/* --- programs */
int cuModuleLoadData(void **module, const void *image) {
  if (!strncmp(image, "refused", 7)) return INVALID_IMAGE;
  *module = malloc(1);
  return OK;
}
int cuModuleUnload(void *module) { free(module); note("unload", 0, ""); return OK; }
int cuModuleGetFunction(function_t **function, void *module, const char *name) {
  (void)module;
  *function = calloc(1, sizeof **function);
  snprintf((*function)->name, sizeof (*function)->name, "%s", name);
  return OK;
}
int cuFuncSetAttribute(function_t *function, int which, int value) { (void)function; (void)which; (void)value; return OK; }
int cuLaunchKernel(function_t *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, stream_t *stream, void **arguments, void **extra) {
  (void)gx; (void)gy; (void)gz; (void)bx; (void)by; (void)bz; (void)shared; (void)arguments; (void)extra;
  ALIVE;
  clock_ms += 0.001;
  if (stream->capturing) {
    graph_t *graph = stream->graph;
    graph->kernels++;
    if (!strncmp(function->name, "endless", 7)) graph->stuck = 1;
    if (!strncmp(function->name, "faulty", 6)) graph->faulty = 1;
    if (!strcmp(function->name, "carry") && graph->carries < 8) {
      uint64_t **given = (uint64_t **)arguments;
      graph->carry[graph->carries++] = (carry_t){
        (uint64_t *)*given[0], (uint64_t *)*given[1], *given[2], (uint64_t *)*given[3], (uint64_t *)*given[4]};
    }
    return OK;
  }
  note("launch", stream->id, function->name);
  if (!strncmp(function->name, "endless", 7)) stream->stuck = 1;
  if (!strncmp(function->name, "faulty", 6)) lost[current] = 1;
  return OK;
}
typedef struct { int id, pad, value[16]; } attribute_t;
typedef struct {
  unsigned gx, gy, gz, bx, by, bz, shared;
  stream_t *stream;
  attribute_t *attributes;
  unsigned count;
} launch_t;
static int early;
int fake_early(void) { return early; }
int cuLaunchKernelEx(const launch_t *how, function_t *function, void **arguments, void **extra) {
  /* 6: may begin while the kernel before it ends */
  for (unsigned i = 0; i < how->count; ++i) early += how->attributes[i].id == 6 && how->attributes[i].value[0];
  return cuLaunchKernel(function, how->gx, how->gy, how->gz, how->bx, how->by, how->bz, how->shared, how->stream, arguments,
                        extra);
}

/* --- streams, events, graphs */
int cuStreamCreate(stream_t **stream, unsigned flags) {
  ALIVE;
  (void)flags;
  *stream = calloc(1, sizeof **stream);
  (*stream)->id = ++streams;
  (*stream)->device = current;
  return OK;
}
int cuStreamDestroy(stream_t *stream) { (void)stream; return OK; }
int cuStreamQuery(stream_t *stream) { ALIVE; return stream->stuck ? NOT_READY : OK; }
int cuStreamSynchronize(stream_t *stream) { ALIVE; return stream->stuck ? NOT_READY : OK; }
int cuStreamWaitEvent(stream_t *stream, event_t *event, unsigned flags) {
  ALIVE;
  (void)flags;
  if (is_default(stream)) return OK;
  stream->stuck |= event->stuck;
  note("wait", stream->id, "");
  return OK;
}
int cuEventCreate(event_t **event, unsigned flags) { ALIVE; (void)flags; *event = calloc(1, sizeof **event); return OK; }
int cuEventDestroy(event_t *event) { free(event); return OK; }
int cuEventRecord(event_t *event, stream_t *stream) {
  ALIVE;
  event->stream = stream;
  event->stuck = is_default(stream) ? 0 : stream->stuck;
  event->at = clock_ms;
  return OK;
}
int cuEventQuery(event_t *event) { ALIVE; return event->stuck ? NOT_READY : OK; }
int cuEventElapsedTime(float *ms, event_t *from, event_t *to) { *ms = (float)(to->at - from->at); return OK; }
int cuStreamBeginCapture(stream_t *stream, int mode) {
  (void)mode;
  stream->capturing = 1;
  stream->graph = calloc(1, sizeof *stream->graph);
  return OK;
}
int cuStreamEndCapture(stream_t *stream, graph_t **graph) { stream->capturing = 0; *graph = stream->graph; return OK; }
int cuGraphInstantiate(graph_t **execution, graph_t *graph, uint64_t flags) {
  (void)flags;
  *execution = graph;
  note("instantiate", graph->kernels, "");
  return OK;
}
int cuGraphInstantiateWithFlags(graph_t **execution, graph_t *graph, uint64_t flags) { return cuGraphInstantiate(execution, graph, flags); }
int cuGraphDestroy(graph_t *graph) { (void)graph; return OK; }
int cuGraphExecDestroy(graph_t *graph) { (void)graph; return OK; }
int cuGraphLaunch(graph_t *graph, stream_t *stream) {
  ALIVE;
  clock_ms += 0.001 * graph->kernels;
  note("graph", stream->id, "");
  stream->stuck |= graph->stuck;
  lost[current] |= graph->faulty;
  for (int i = 0; i < graph->carries && !stream->stuck && !graph->faulty; i++) {
    carry_t c = graph->carry[i];
    memcpy(c.to, c.from, 8 * c.words);
    if (c.signal) *c.signal = ++c.state[1];
  }
  return OK;
}
