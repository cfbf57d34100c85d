/* A driver without a GPU: enough of libcuda for tests of the runtime on any machine with a C compiler.
 *
 * Memory is host memory. Streams hold their work back for as long as they can (fake_streams.h), and what goes wrong
 * can be planned (fake_faults.h). Kernels appear in the log and do nothing, except:
 *
 *   endless...           never ends: its stream, and whatever waits for it, stays busy
 *   faulty...            an illegal address at once: from then on every call of its context fails with that error
 *   write_table, carry   what the kernels of runtime/cuda/plan.py and call.py do
 *   code "emulated ID"   calls run_ID, join_ID or first_ID of the library FAKE_KERNELS (fault_programs.py)
 *
 * Code that begins with "refused" cannot be loaded. FAKE_GPUS says how many there are (2), FAKE_BYTES how much memory
 * each has (1 GiB). */

#define _GNU_SOURCE
#include <dlfcn.h>

#include "fake_faults.h"
#include "fake_streams.h"

typedef struct { stream_t *stream; long ticket; double at; } event_t;
typedef struct { char image[128]; int unloaded; } module_t;

static char log_text[1 << 20];
static size_t log_size;
static size_t used[MOST_GPUS];
static double clock_ms;
static struct { uintptr_t start; size_t size; } pinned[4096];

static void note(const char *what, long a, const char *name) {
  int n = snprintf(log_text + log_size, sizeof log_text - log_size, "%s %ld %s\n", what, a, name);
  if (n > 0 && log_size + (size_t)n < sizeof log_text) log_size += (size_t)n;
}
const char *fake_log(void) { return log_text; }
void fake_clear(void) { ALONE; log_size = 0; log_text[0] = 0; }

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
int cuInit(unsigned flags) { ENTER; (void)flags; return number("FAKE_GPUS", 2) ? OK : NO_DEVICE; }
int cuDriverGetVersion(int *version) { *version = 13000; return OK; }
int cuDeviceGetCount(int *count) { ENTER; *count = (int)number("FAKE_GPUS", 2); return OK; }
int cuDeviceGet(int *device, int number_) { ENTER; *device = number_; return OK; }
int cuDeviceGetName(char *name, int room, int device) { ENTER; snprintf(name, (size_t)room, "fake %d", device); return OK; }
int cuDeviceGetAttribute(int *value, int which, int device) {
  ENTER;
  (void)device;
  /* capability 9.0, 4 processors, 227 KiB of shared memory */
  *value = which == 75 ? 9 : which == 76 ? 0 : which == 16 ? 4 : which == 97 ? 232448 : 1;
  return OK;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  ENTER_TAKING_MEMORY;
  live[CONTEXTS]++;
  *context = (void *)(uintptr_t)(device + 1);
  return OK;
}
int cuDevicePrimaryCtxRelease(int device) { ALONE; (void)device; live[CONTEXTS]--; return OK; }
int cuCtxSetCurrent(void *context) { current = context ? (int)(uintptr_t)context - 1 : 0; return OK; }
int cuCtxGetCurrent(void **context) { *context = (void *)(uintptr_t)(current + 1); return OK; }
int cuDeviceGetDefaultMemPool(void **pool, int device) { ENTER; *pool = (void *)(uintptr_t)(device + 1); return OK; }
int cuMemPoolSetAttribute(void *pool, int which, void *value) { ENTER; (void)pool; (void)which; (void)value; return OK; }
int cuMemPoolTrimTo(void *pool, size_t keep) { ENTER; (void)pool; (void)keep; return OK; }
int cuMemGetInfo(size_t *room, size_t *total) {
  ENTER;
  *total = (size_t)number("FAKE_BYTES", 1L << 30);
  *room = *total - used[current];
  return OK;
}
static const struct { int code; const char *name, *text; } errors[] = {
  {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
  {UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
  {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
  {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
  {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
  {CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
  {UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};
#define ERROR_COUNT (sizeof errors / sizeof *errors)
int cuGetErrorName(int error, const char **text) {
  *text = "CUDA_ERROR";
  for (size_t i = 0; i < ERROR_COUNT; i++) if (errors[i].code == error) *text = errors[i].name;
  return OK;
}
int cuGetErrorString(int error, const char **text) {
  *text = "an error";
  for (size_t i = 0; i < ERROR_COUNT; i++) if (errors[i].code == error) *text = errors[i].text;
  return OK;
}

/* --- memory: the size is kept in front of the block, which is 512-byte aligned; new memory holds anything */
int cuMemAllocAsync(uintptr_t *address, size_t size, stream_t *stream) {
  ENTER_TAKING_MEMORY;
  (void)stream;
  if (used[current] + size > (size_t)number("FAKE_BYTES", 1L << 30)) return OUT_OF_MEMORY;
  char *block = aligned_alloc(512, (size + 1023) / 512 * 512);
  if (!block) return OUT_OF_MEMORY;
  *(size_t *)block = size;
  used[current] += size;
  live[DEVICE_BYTES] += (long)size;
  *address = (uintptr_t)block + 512;
  memset((void *)*address, 0xcd, size);
  return OK;
}
int cuMemFreeAsync(uintptr_t address, stream_t *stream) {
  ENTER;
  op_t *op = enqueue(stream, FREE);
  op->to = address;
  op->size = *(size_t *)(address - 512);
  used[current] -= op->size;
  live[DEVICE_BYTES] -= (long)op->size;
  note("free", 0, "");
  return OK;
}
static int find_pinned(uintptr_t address) {
  for (int i = 0; i < 4096; i++) if (address - pinned[i].start < pinned[i].size) return i;
  return -1;
}
int cuMemHostAlloc(void **address, size_t size, unsigned flags) {
  ENTER_TAKING_MEMORY;
  (void)flags;
  settle(current, "memory is pinned");
  *address = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
  for (int i = 0; i < 4096; i++) {
    if (pinned[i].size) continue;
    pinned[i].start = (uintptr_t)*address;
    pinned[i].size = size;
    live[PINNED_BYTES] += (long)size;
    return OK;
  }
  return OUT_OF_MEMORY;
}
int cuMemFreeHost(void *address) {
  ENTER;
  int i = find_pinned((uintptr_t)address);
  if (i < 0) return INVALID;
  settle(current, "pinned memory is given back");
  live[PINNED_BYTES] -= (long)pinned[i].size;
  pinned[i].size = 0;
  free(address);
  return OK;
}
int cuPointerGetAttribute(void *value, int which, uintptr_t address) {
  ENTER;
  (void)which;
  if (find_pinned(address) < 0) return INVALID;
  *(unsigned *)value = 1; /* host memory */
  return OK;
}
static int copy(uintptr_t to, uintptr_t from, size_t size, const char *kind, stream_t *stream) {
  op_t *op = enqueue(stream, COPY);
  op->to = to;
  op->from = from;
  op->size = size;
  note("copy", stream->id, kind);
  return OK;
}
int cuMemcpyHtoDAsync(uintptr_t to, const void *from, size_t size, stream_t *s) { ENTER; return copy(to, (uintptr_t)from, size, "in", s); }
int cuMemcpyDtoHAsync(void *to, uintptr_t from, size_t size, stream_t *s) { ENTER; return copy((uintptr_t)to, from, size, "out", s); }
int cuMemcpyAsync(uintptr_t to, uintptr_t from, size_t size, stream_t *s) { ENTER; return copy(to, from, size, "on", s); }
int cuMemcpyPeerAsync(uintptr_t to, void *a, uintptr_t from, void *b, size_t size, stream_t *s) {
  ENTER;
  (void)a; (void)b;
  return copy(to, from, size, "peer", s);
}

/* --- programs */
int cuModuleLoadData(module_t **module, const void *image) {
  ENTER_TAKING_MEMORY;
  if (!strncmp(image, "refused", 7)) return INVALID_IMAGE;
  settle(current, "code is loaded");
  *module = calloc(1, sizeof **module);
  snprintf((*module)->image, sizeof (*module)->image, "%s", (const char *)image);
  live[MODULES]++;
  return OK;
}
int cuModuleUnload(module_t *module) { ALONE; module->unloaded = 1; live[MODULES]--; note("unload", 0, ""); return OK; }
static void *symbol(const char *prefix, const char *image) {
  static void *kernels;
  char name[256];
  if (strncmp(image, "emulated ", 9) || !getenv("FAKE_KERNELS")) return NULL;
  if (!kernels) kernels = dlopen(getenv("FAKE_KERNELS"), RTLD_NOW);
  if (!kernels) { fprintf(stderr, "%s\n", dlerror()); exit(70); }
  snprintf(name, sizeof name, "%s_%s", prefix, image + 9);
  return dlsym(kernels, name);
}
int cuModuleGetFunction(function_t **function, module_t *module, const char *name) {
  ENTER;
  function_t *made = *function = calloc(1, sizeof **function);
  size_t length = (size_t)snprintf(made->name, sizeof made->name, "%s", name);
  made->unloaded = &module->unloaded;
  int *arguments = symbol("arguments", module->image);
  made->arguments = arguments ? *arguments : !strcmp(name, "carry") ? 5 : !strcmp(name, "write_table") ? 3 : 0;
  const int joins = length > 5 && !strcmp(name + length - 5, "_join");
  const int begins = length > 6 && !strcmp(name + length - 6, "_first");
  *(void **)&made->run = symbol(joins ? "join" : begins ? "first" : "run", module->image);
  return OK;
}
int cuFuncSetAttribute(function_t *function, int which, int value) { ENTER; (void)function; (void)which; (void)value; return OK; }

/* Arguments are copied by the launch; the last one of a table is a row of words. */
static void add_kernel(graph_t *graph, function_t *function, unsigned grid, unsigned block, unsigned shared, void **arguments) {
  graph->kernels = realloc(graph->kernels, (size_t)(graph->count + 1) * sizeof *graph->kernels);
  uint64_t words = strcmp(function->name, "write_table") ? 0 : *(uint64_t *)arguments[2];
  uint64_t *copied = malloc(8 * ((size_t)function->arguments + words + 1));
  for (int i = 0; i < function->arguments; i++) copied[i] = *(uint64_t *)arguments[i];
  if (words) memcpy(copied + 3, arguments[3], 8 * words);
  graph->kernels[graph->count++] = (kernel_t){function, grid, block, shared, copied};
}
static int launch(function_t *function, unsigned grid, unsigned block, unsigned shared, stream_t *stream, void **arguments) {
  clock_ms += 0.001;
  if (*function->unloaded) { stream->broken = stream->capturing; return INVALID_HANDLE; }
  if (stream->capturing) {
    add_kernel(stream->graph, function, grid, block, shared, arguments);
    return OK;
  }
  note("launch", stream->id, function->name);
  graph_t *alone = calloc(1, sizeof *alone);
  alone->holders = 1;
  add_kernel(alone, function, grid, block, shared, arguments);
  enqueue(stream, LAUNCH)->graph = alone;
  if (!strncmp(function->name, "faulty", 6)) advance(stream); /* seen at once */
  return OK;
}
/* A launch that fails spoils the capture that it is part of. */
#define ENTER_LAUNCH(stream) \
  ALONE; { int status = answer(__func__, 1); if (status) { (stream)->broken = (stream)->capturing; return status; } }
int cuLaunchKernel(function_t *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, stream_t *stream, void **arguments, void **extra) {
  ENTER_LAUNCH(stream);
  (void)gy; (void)gz; (void)by; (void)bz; (void)extra;
  return launch(function, gx, bx, shared, stream, arguments);
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
  ENTER_LAUNCH(how->stream);
  (void)extra;
  /* 6: may begin while the kernel before it ends */
  for (unsigned i = 0; i < how->count; ++i) early += how->attributes[i].id == 6 && how->attributes[i].value[0];
  return launch(function, how->gx, how->bx, how->shared, how->stream, arguments);
}

/* --- streams, events, graphs */
int cuStreamCreate(stream_t **stream, unsigned flags) {
  ENTER_TAKING_MEMORY;
  (void)flags;
  stream_t *made = *stream = calloc(1, sizeof **stream);
  made->device = current;
  made->id = stream_count + 1;
  if (stream_count < 1024) all_streams[stream_count++] = made;
  live[STREAMS]++;
  return OK;
}
int cuStreamDestroy(stream_t *stream) { ALONE; (void)stream; live[STREAMS]--; return OK; }
int cuStreamQuery(stream_t *stream) {
  ENTER;
  advance(stream);
  return lost[current] ? lost[current] : stream->first ? NOT_READY : OK;
}
int cuStreamIsCapturing(stream_t *stream, int *status) {
  ALONE;
  *status = stream->capturing + (stream->capturing && stream->broken);
  return OK;
}
int cuStreamWaitEvent(stream_t *stream, event_t *event, unsigned flags) {
  ENTER;
  (void)flags;
  if (is_default(stream)) return OK;
  if (!is_default(event->stream)) {
    op_t *op = enqueue(stream, WAIT);
    op->other = event->stream;
    op->other_ticket = event->ticket;
  }
  note("wait", stream->id, "");
  return OK;
}
int cuEventCreate(event_t **event, unsigned flags) {
  ENTER_TAKING_MEMORY;
  (void)flags;
  live[EVENTS]++;
  *event = calloc(1, sizeof **event);
  return OK;
}
int cuEventDestroy(event_t *event) { ALONE; live[EVENTS]--; free(event); return OK; }
int cuEventRecord(event_t *event, stream_t *stream) {
  ENTER;
  event->stream = stream;
  event->ticket = is_default(stream) ? 0 : stream->queued;
  event->at = clock_ms;
  return OK;
}
int cuEventQuery(event_t *event) {
  ENTER;
  if (is_default(event->stream)) return OK;
  advance(event->stream);
  return lost[current] ? lost[current] : event->stream->done < event->ticket ? NOT_READY : OK;
}
int cuEventElapsedTime(float *ms, event_t *from, event_t *to) { ENTER; *ms = (float)(to->at - from->at); return OK; }
int cuStreamBeginCapture(stream_t *stream, int mode) {
  ENTER;
  (void)mode;
  stream->capturing = 1;
  stream->broken = 0;
  stream->graph = calloc(1, sizeof *stream->graph);
  stream->graph->holders = 1;
  return OK;
}
int cuStreamEndCapture(stream_t *stream, graph_t **graph) {
  ENTER;
  stream->capturing = 0;
  *graph = stream->broken ? NULL : stream->graph;
  if (stream->broken) { drop_graph(stream->graph); return CAPTURE_INVALIDATED; }
  live[GRAPHS]++;
  return OK;
}
int cuGraphInstantiateWithFlags(graph_t **execution, graph_t *graph, uint64_t flags) {
  ENTER_TAKING_MEMORY;
  (void)flags;
  *execution = graph;
  graph->holders++;
  live[EXECUTIONS]++;
  note("instantiate", graph->count, "");
  return OK;
}
int cuGraphInstantiate(graph_t **execution, graph_t *graph, uint64_t flags) { return cuGraphInstantiateWithFlags(execution, graph, flags); }
int cuGraphDestroy(graph_t *graph) { ALONE; live[GRAPHS]--; drop_graph(graph); return OK; }
int cuGraphExecDestroy(graph_t *graph) { ALONE; live[EXECUTIONS]--; drop_graph(graph); return OK; }
int cuGraphLaunch(graph_t *graph, stream_t *stream) {
  ENTER_TAKING_MEMORY;
  clock_ms += 0.001 * graph->count;
  note("graph", stream->id, "");
  op_t *op = enqueue(stream, LAUNCH);
  op->graph = graph;
  graph->holders++;
  return OK;
}
