/* What goes wrong in the driver of the tests, and when.
 *
 *   fake_fault("refuse", 3, 0)        the third call from now that takes memory, and every later one, finds none
 *   fake_fault("refuse once", 3, 0)   only the third
 *   fake_fault("fault", 2, 700)       the second kernel that runs from now on ends its context with this error
 *   fake_fault("hang", 2, 500)        the second kernel takes 500 ms; 0: until fake_release(); -1: it never ends
 *   fake_fault("lost", 9, 999)        the ninth call from now on fails with this error, and so does every later one
 *   fake_fault("none", 0, 0)          nothing more goes wrong; what is lost stays lost
 *
 * fake_names("memory"), ("kernel") and ("call") list what was counted since the last of these; fake_struck() names the
 * kernel or the call that was struck, fake_struck_device() the GPU. fake_live(...) counts what the driver gave and did not get back. */

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, UNAVAILABLE = 46, NO_DEVICE = 100, INVALID_IMAGE = 200, NOT_FOUND = 500,
  INVALID_HANDLE = 400, NOT_READY = 600, ILLEGAL_ADDRESS = 700, LAUNCH_FAILED = 719, CAPTURE_INVALIDATED = 901, UNKNOWN = 999
};
enum { MEMORY, KERNEL, CALL, KINDS };
enum { NONE, REFUSE, REFUSE_ONCE, FAULT, HANG, LOST };
static const char *const kinds[] = {"memory", "kernel", "call"};
static const char *const faults[] = {"none", "refuse", "refuse once", "fault", "hang", "lost"};
#define MOST_GPUS 16
#define FOREVER 1e18
#define HELD 1e17

static struct { int fault; long number, value; char struck[128]; int device; } planned;
static int holding;
static long counts[KINDS];
static char names[KINDS][1 << 16];
static int lost[MOST_GPUS];
static _Thread_local int current;

enum { DEVICE_BYTES, PINNED_BYTES, CONTEXTS, STREAMS, EVENTS, GRAPHS, EXECUTIONS, MODULES, THINGS };
static const char *const things[] = {"device bytes", "pinned bytes", "contexts", "streams", "events", "graphs", "executions", "modules"};
static long live[THINGS];

/* One call at a time: the bindings let go of Python's lock. */
static pthread_mutex_t one_call = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int locked(void) { return pthread_mutex_lock(&one_call); }
static void unlocked(const int *unused) { (void)unused; pthread_mutex_unlock(&one_call); }
#define ALONE __attribute__((cleanup(unlocked))) int alone = locked(); (void)alone

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}
static int index_of(const char *name, const char *const *names, int count) {
  for (int i = 0; i < count; i++) if (!strcmp(name, names[i])) return i;
  fprintf(stderr, "the driver of the tests knows no %s\n", name);
  exit(70);
}
static void strike(const char *name, int device) {
  snprintf(planned.struck, sizeof planned.struck, "%s", name);
  planned.device = device;
}

void fake_fault(const char *fault, long number, long value) {
  ALONE;
  planned.fault = index_of(fault, faults, sizeof faults / sizeof *faults);
  planned.number = number;
  planned.value = value;
  planned.struck[0] = 0;
  memset(counts, 0, sizeof counts);
  for (int kind = 0; kind < KINDS; kind++) names[kind][0] = 0;
}
void fake_release(void) { ALONE; holding = 0; }
const char *fake_names(const char *kind) { ALONE; return names[index_of(kind, kinds, KINDS)]; }
long fake_live(const char *thing) { ALONE; return live[index_of(thing, things, THINGS)]; }
const char *fake_struck(void) { return planned.struck; }
int fake_struck_device(void) { return planned.device; }

static long counted(int kind, const char *name) {
  if (counts[kind] < 500) strcat(strcat(names[kind], name), " "); /* a name has at most 127 letters */
  return ++counts[kind];
}
/* What a call of the program answers before it does anything. */
static int answer(const char *name, int takes_memory) {
  long number = counted(CALL, name);
  if (planned.fault == LOST && number == planned.number) {
    lost[current] = (int)planned.value;
    strike(name, current);
  }
  if (lost[current]) return lost[current];
  if (!takes_memory) return OK;
  number = counted(MEMORY, name);
  if ((planned.fault == REFUSE && number >= planned.number) || (planned.fault == REFUSE_ONCE && number == planned.number)) {
    if (!planned.struck[0]) strike(name, current);
    return OUT_OF_MEMORY;
  }
  return OK;
}
/* The first line of a call. A call that is given up inside (a full queue, a kernel that never ends) ends the process:
 * a program must not come to wait there. */
#define ENTER_TAKING(memory) ALONE; { int status = answer(__func__, memory); if (status) return status; }
#define ENTER ENTER_TAKING(0)
#define ENTER_TAKING_MEMORY ENTER_TAKING(1)

/* How long the n-th kernel of the plan takes, and whether it ends its context. */
static double kernel_begins(const char *name, int device) {
  long number = counted(KERNEL, name);
  if (number == planned.number && (planned.fault == FAULT || planned.fault == HANG)) {
    strike(name, device);
    if (planned.fault == HANG && planned.value == 0) holding = 1;
    if (planned.fault == HANG) return planned.value < 0 ? FOREVER : holding ? HELD : milliseconds() + (double)planned.value;
    lost[device] = (int)planned.value;
  }
  if (!strncmp(name, "endless", 7)) return FOREVER;
  if (!strncmp(name, "faulty", 6)) lost[device] = ILLEGAL_ADDRESS;
  return 0;
}
