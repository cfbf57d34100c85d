; The thread pool. pool_source.py tells how it works and defines @pause, @clock_monotonic, @sig_block and @sig_setmask.
; Every field that several threads write has a cache line to itself: 128 bytes, since arm64 machines fetch lines in pairs.

%job = type { ptr, ptr, i64, i64, i64, i64 }                   ; function, params, tasks, grain, chunks, scratch
%record = type { ptr, i64, ptr, i64, [96 x i8] }               ; a thread: scratch, its size, pool, handle
%launch = type { ptr, i64, i64, i64, i64, ptr, ptr, i64 }      ; see LAUNCH_FIELDS
%ref = type { i64, i64 }                                       ; slot, byte offset
%pool = type {
  i64, [120 x i8],                                             ; 0  ticket
  i64, [120 x i8],                                             ; 2  chunks done
  %job, [80 x i8],                                             ; 4  job
  i64, [120 x i8],                                             ; 6  sleepers
  i64, i64, i64,                                               ; 8  workers wanted, 9 made, 10 stop
  i64, i64, [88 x i8],                                         ; 11 short of memory, 12 spin_ns
  [128 x i8],                                                  ; 14 mutex of the sleepers
  [128 x i8],                                                  ; 15 their condition
  [128 x i8],                                                  ; 16 lock of pool_run
  [0 x %record]                                                ; 17 the caller, then the workers
}

declare i32 @posix_memalign(ptr, i64, i64)
declare void @free(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sched_yield()
declare i32 @nanosleep(ptr, ptr)
declare i32 @clock_gettime(i32, ptr)

define internal i64 @now() nounwind {
  %time = alloca [2 x i64]
  %clock = load i32, ptr @clock_monotonic
  %ok = call i32 @clock_gettime(i32 %clock, ptr %time)
  %seconds = load i64, ptr %time
  %fraction.p = getelementptr i64, ptr %time, i64 1
  %fraction = load i64, ptr %fraction.p
  %whole = mul i64 %seconds, 1000000000
  %ns = add i64 %whole, %fraction
  ret i64 %ns
}

define ptr @pool_create(i64 %workers, i64 %spin_ns) nounwind {
entry:
  %out = alloca ptr
  %threads = add i64 %workers, 1
  %end = getelementptr %pool, ptr null, i64 0, i32 17, i64 %threads
  %size = ptrtoint ptr %end to i64
  %refused = call i32 @posix_memalign(ptr %out, i64 128, i64 %size)
  %ok = icmp eq i32 %refused, 0
  br i1 %ok, label %fill, label %fail
fill:
  %pool = load ptr, ptr %out
  call void @llvm.memset.p0.i64(ptr %pool, i8 0, i64 %size, i1 false)
  store i64 4294967295, ptr %pool                              ; closed
  %wanted = getelementptr %pool, ptr %pool, i64 0, i32 8
  store i64 %workers, ptr %wanted
  %spin = getelementptr %pool, ptr %pool, i64 0, i32 12
  store i64 %spin_ns, ptr %spin
  %mutex = getelementptr %pool, ptr %pool, i64 0, i32 14
  call i32 @pthread_mutex_init(ptr %mutex, ptr null)
  %condition = getelementptr %pool, ptr %pool, i64 0, i32 15
  call i32 @pthread_cond_init(ptr %condition, ptr null)
  %lock = getelementptr %pool, ptr %pool, i64 0, i32 16
  call i32 @pthread_mutex_init(ptr %lock, ptr null)
  ret ptr %pool
fail:
  ret ptr null
}

; Workers inherit the signal mask of the thread that makes them.
define internal void @make_workers(ptr %pool) noinline nounwind {
entry:
  %all = alloca [128 x i8]
  %before = alloca [128 x i8]
  call void @llvm.memset.p0.i64(ptr %all, i8 -1, i64 128, i1 false)
  %block = load i32, ptr @sig_block
  call i32 @pthread_sigmask(i32 %block, ptr %all, ptr %before)
  %wanted.p = getelementptr %pool, ptr %pool, i64 0, i32 8
  %wanted = load i64, ptr %wanted.p
  %made.p = getelementptr %pool, ptr %pool, i64 0, i32 9
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %made ]
  %more = icmp ult i64 %i, %wanted
  br i1 %more, label %make, label %end
make:
  %next = add i64 %i, 1
  %record = getelementptr %pool, ptr %pool, i64 0, i32 17, i64 %next
  %home = getelementptr %record, ptr %record, i64 0, i32 2
  store ptr %pool, ptr %home
  %handle = getelementptr %record, ptr %record, i64 0, i32 3
  %refused = call i32 @pthread_create(ptr %handle, ptr null, ptr @work, ptr %record)
  %ok = icmp eq i32 %refused, 0
  br i1 %ok, label %made, label %short
made:
  store i64 %next, ptr %made.p
  br label %head
short:
  store i64 %i, ptr %wanted.p                                  ; do with what there is, and do not ask again
  br label %end
end:
  %restore = load i32, ptr @sig_setmask
  call i32 @pthread_sigmask(i32 %restore, ptr %before, ptr null)
  ret void
}

; The thread's scratch memory of at least %need bytes; null when the system has none left.
define internal ptr @scratch_of(ptr %record, i64 %need) nounwind {
entry:
  %memory = load ptr, ptr %record
  %size.p = getelementptr %record, ptr %record, i64 0, i32 1
  %size = load i64, ptr %size.p
  %enough = icmp ule i64 %need, %size
  br i1 %enough, label %keep, label %grow
keep:
  %some = icmp ne ptr %memory, null
  %any = select i1 %some, ptr %memory, ptr %record             ; not null, and without tiles never read
  ret ptr %any
grow:
  call void @free(ptr %memory)
  store ptr null, ptr %record
  store i64 0, ptr %size.p
  %refused = call i32 @posix_memalign(ptr %record, i64 4096, i64 %need)
  %ok = icmp eq i32 %refused, 0
  br i1 %ok, label %grown, label %fail
grown:
  store i64 %need, ptr %size.p
  %fresh = load ptr, ptr %record
  ret ptr %fresh
fail:
  store ptr null, ptr %record
  ret ptr null
}

; Take chunks until none is left; how many were taken.
define internal i64 @take(ptr %pool, ptr %record) nounwind {
entry:
  %function.p = getelementptr %pool, ptr %pool, i64 0, i32 4, i32 0
  %params.p = getelementptr %pool, ptr %pool, i64 0, i32 4, i32 1
  %tasks.p = getelementptr %pool, ptr %pool, i64 0, i32 4, i32 2
  %grain.p = getelementptr %pool, ptr %pool, i64 0, i32 4, i32 3
  %chunks.p = getelementptr %pool, ptr %pool, i64 0, i32 4, i32 4
  %need.p = getelementptr %pool, ptr %pool, i64 0, i32 4, i32 5
  br label %look
look:
  %taken = phi i64 [ 0, %entry ], [ %taken, %try ], [ %counted, %ran ]
  %ticket = load atomic i64, ptr %pool acquire, align 8
  %chunk = and i64 %ticket, 4294967295
  %chunks = load atomic i64, ptr %chunks.p acquire, align 8
  %left = icmp ult i64 %chunk, %chunks
  br i1 %left, label %try, label %none
try:
  %function = load atomic ptr, ptr %function.p acquire, align 8
  %params = load atomic ptr, ptr %params.p acquire, align 8
  %tasks = load atomic i64, ptr %tasks.p acquire, align 8
  %grain = load atomic i64, ptr %grain.p acquire, align 8
  %need = load atomic i64, ptr %need.p acquire, align 8
  %advanced = add i64 %ticket, 1
  %swap = cmpxchg ptr %pool, i64 %ticket, i64 %advanced acq_rel monotonic, align 8
  %mine = extractvalue { i64, i1 } %swap, 1
  br i1 %mine, label %run, label %look
run:
  %counted = add i64 %taken, 1
  %begin = mul i64 %chunk, %grain
  %full = add i64 %begin, %grain
  %end = call i64 @llvm.umin.i64(i64 %full, i64 %tasks)
  %scratch = call ptr @scratch_of(ptr %record, i64 %need)
  %able = icmp ne ptr %scratch, null
  br i1 %able, label %call, label %unable
call:
  call void %function(ptr %params, i64 %begin, i64 %end, ptr %scratch)
  br label %ran
unable:
  %short.p = getelementptr %pool, ptr %pool, i64 0, i32 11
  store atomic i64 1, ptr %short.p monotonic, align 8
  br label %ran
ran:
  br label %look
none:
  ret i64 %taken
}
declare i64 @llvm.umin.i64(i64, i64)

; Whether there is a chunk to take, or the pool ends.
define internal i1 @stirring(ptr %pool) nounwind {
  %chunks.p = getelementptr %pool, ptr %pool, i64 0, i32 4, i32 4
  %stop.p = getelementptr %pool, ptr %pool, i64 0, i32 10
  %ticket = load atomic i64, ptr %pool seq_cst, align 8
  %chunk = and i64 %ticket, 4294967295
  %chunks = load atomic i64, ptr %chunks.p seq_cst, align 8
  %left = icmp ult i64 %chunk, %chunks
  %stop = load atomic i64, ptr %stop.p seq_cst, align 8
  %ends = icmp ne i64 %stop, 0
  %any = or i1 %left, %ends
  ret i1 %any
}

define internal ptr @work(ptr %record) nounwind {
entry:
  %home = getelementptr %record, ptr %record, i64 0, i32 2
  %pool = load ptr, ptr %home
  %done.p = getelementptr %pool, ptr %pool, i64 0, i32 2
  %sleepers.p = getelementptr %pool, ptr %pool, i64 0, i32 6
  %stop.p = getelementptr %pool, ptr %pool, i64 0, i32 10
  %spin.p = getelementptr %pool, ptr %pool, i64 0, i32 12
  %mutex = getelementptr %pool, ptr %pool, i64 0, i32 14
  %condition = getelementptr %pool, ptr %pool, i64 0, i32 15
  %spin = load i64, ptr %spin.p
  br label %look
look:
  %taken = call i64 @take(ptr %pool, ptr %record)
  %some = icmp ne i64 %taken, 0
  br i1 %some, label %report, label %idle
report:
  %before = atomicrmw add ptr %done.p, i64 %taken release, align 8
  br label %idle
idle:
  %stop = load atomic i64, ptr %stop.p acquire, align 8
  %ends = icmp ne i64 %stop, 0
  br i1 %ends, label %end, label %watch
watch:
  %start = call i64 @now()
  br label %watching
watching:
  %turn = phi i64 [ 0, %watch ], [ 0, %patient ], [ %turns, %calm ]
  call void @pause()
  %found = call i1 @stirring(ptr %pool)
  br i1 %found, label %look, label %calm
calm:
  %turns = add i64 %turn, 1
  %ask = icmp eq i64 %turns, 32                                ; the clock costs as much as many looks
  br i1 %ask, label %time, label %watching
time:
  %now = call i64 @now()
  %passed = sub i64 %now, %start
  %tired = icmp uge i64 %passed, %spin
  br i1 %tired, label %sleep, label %patient
patient:
  br label %watching
sleep:
  call i32 @pthread_mutex_lock(ptr %mutex)
  %more = atomicrmw add ptr %sleepers.p, i64 1 seq_cst, align 8
  br label %asleep
asleep:
  %called = call i1 @stirring(ptr %pool)
  br i1 %called, label %awake, label %rest
rest:
  call i32 @pthread_cond_wait(ptr %condition, ptr %mutex)
  br label %asleep
awake:
  %fewer = atomicrmw sub ptr %sleepers.p, i64 1 seq_cst, align 8
  call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %look
end:
  ret ptr null
}

define internal void @wake(ptr %pool, i64 %useful) noinline nounwind {
entry:
  %sleepers.p = getelementptr %pool, ptr %pool, i64 0, i32 6
  %mutex = getelementptr %pool, ptr %pool, i64 0, i32 14
  %condition = getelementptr %pool, ptr %pool, i64 0, i32 15
  call i32 @pthread_mutex_lock(ptr %mutex)
  %sleepers = load atomic i64, ptr %sleepers.p monotonic, align 8
  %all = icmp uge i64 %useful, %sleepers
  br i1 %all, label %everybody, label %head
everybody:
  call i32 @pthread_cond_broadcast(ptr %condition)
  br label %end
head:
  %left = phi i64 [ %useful, %entry ], [ %fewer, %one ]
  %some = icmp ne i64 %left, 0
  br i1 %some, label %one, label %end
one:
  %fewer = sub i64 %left, 1
  call i32 @pthread_cond_signal(ptr %condition)
  br label %head
end:
  call i32 @pthread_mutex_unlock(ptr %mutex)
  ret void
}

; One launch on all threads; %chunks is at least 2.
define internal void @share(ptr %pool, ptr %launch, i64 %chunks) nounwind {
entry:
  %nap = alloca [2 x i64]
  %done.p = getelementptr %pool, ptr %pool, i64 0, i32 2
  %sleepers.p = getelementptr %pool, ptr %pool, i64 0, i32 6
  %function.p = getelementptr %pool, ptr %pool, i64 0, i32 4, i32 0
  %params.p = getelementptr %pool, ptr %pool, i64 0, i32 4, i32 1
  %tasks.p = getelementptr %pool, ptr %pool, i64 0, i32 4, i32 2
  %grain.p = getelementptr %pool, ptr %pool, i64 0, i32 4, i32 3
  %chunks.p = getelementptr %pool, ptr %pool, i64 0, i32 4, i32 4
  %need.p = getelementptr %pool, ptr %pool, i64 0, i32 4, i32 5
  %l.params.p = getelementptr %launch, ptr %launch, i64 0, i32 6
  %l.tasks.p = getelementptr %launch, ptr %launch, i64 0, i32 1
  %l.grain.p = getelementptr %launch, ptr %launch, i64 0, i32 2
  %l.need.p = getelementptr %launch, ptr %launch, i64 0, i32 7
  %function = load ptr, ptr %launch
  %params = load ptr, ptr %l.params.p
  %tasks = load i64, ptr %l.tasks.p
  %grain = load i64, ptr %l.grain.p
  %need = load i64, ptr %l.need.p
  %ticket = load atomic i64, ptr %pool monotonic, align 8
  %number = lshr i64 %ticket, 32
  %next = add i64 %number, 1
  %open = shl i64 %next, 32
  %closed = or i64 %open, 4294967295
  store atomic i64 %closed, ptr %pool seq_cst, align 8
  store atomic ptr %function, ptr %function.p release, align 8
  store atomic ptr %params, ptr %params.p release, align 8
  store atomic i64 %tasks, ptr %tasks.p release, align 8
  store atomic i64 %grain, ptr %grain.p release, align 8
  store atomic i64 %need, ptr %need.p release, align 8
  store atomic i64 %chunks, ptr %chunks.p release, align 8
  store atomic i64 0, ptr %done.p release, align 8
  store atomic i64 %open, ptr %pool seq_cst, align 8
  %sleepers = load atomic i64, ptr %sleepers.p seq_cst, align 8
  %asleep = icmp ne i64 %sleepers, 0
  br i1 %asleep, label %call, label %join
call:
  %others = sub i64 %chunks, 1
  call void @wake(ptr %pool, i64 %others)
  br label %join
join:
  %record = getelementptr %pool, ptr %pool, i64 0, i32 17, i64 0
  %taken = call i64 @take(ptr %pool, ptr %record)
  %before = atomicrmw add ptr %done.p, i64 %taken acq_rel, align 8
  br label %wait
wait:
  %turn = phi i64 [ 0, %join ], [ %turns, %pause ], [ %turns, %yield ], [ %turns, %doze ]
  %done = load atomic i64, ptr %done.p acquire, align 8
  %over = icmp eq i64 %done, %chunks
  br i1 %over, label %end, label %still
still:
  %turns = add i64 %turn, 1
  %soon = icmp ult i64 %turn, 4096
  br i1 %soon, label %pause, label %long
pause:
  call void @pause()
  br label %wait
long:
  %medium = icmp ult i64 %turn, 8192
  br i1 %medium, label %yield, label %doze
yield:                                                          ; a worker may be waiting for this very core
  call i32 @sched_yield()
  br label %wait
doze:                                                          ; one long chunk elsewhere: leave the core to others
  %ns.p = getelementptr i64, ptr %nap, i64 1
  store i64 0, ptr %nap
  store i64 20000, ptr %ns.p
  call i32 @nanosleep(ptr %nap, ptr null)
  br label %wait
end:
  ret void
}

; The addresses of a launch's parameters: slots[slot] + offset.
define internal void @resolve(ptr %launch, ptr %slots) nounwind {
entry:
  %count.p = getelementptr %launch, ptr %launch, i64 0, i32 4
  %refs.p = getelementptr %launch, ptr %launch, i64 0, i32 5
  %params.p = getelementptr %launch, ptr %launch, i64 0, i32 6
  %count = load i64, ptr %count.p
  %refs = load ptr, ptr %refs.p
  %params = load ptr, ptr %params.p
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %end
body:
  %slot.p = getelementptr %ref, ptr %refs, i64 %i, i32 0
  %offset.p = getelementptr %ref, ptr %refs, i64 %i, i32 1
  %slot = load i64, ptr %slot.p
  %offset = load i64, ptr %offset.p
  %base.p = getelementptr i64, ptr %slots, i64 %slot
  %base = load i64, ptr %base.p
  %address = add i64 %base, %offset
  %out = getelementptr i64, ptr %params, i64 %i
  store i64 %address, ptr %out
  %next = add i64 %i, 1
  br label %head
end:
  ret void
}

define i64 @pool_run(ptr %pool, ptr %launches, i64 %count, ptr %slots, ptr %times) nounwind {
entry:
  %wanted.p = getelementptr %pool, ptr %pool, i64 0, i32 8
  %made.p = getelementptr %pool, ptr %pool, i64 0, i32 9
  %short.p = getelementptr %pool, ptr %pool, i64 0, i32 11
  %lock = getelementptr %pool, ptr %pool, i64 0, i32 16
  %timed = icmp ne ptr %times, null
  call i32 @pthread_mutex_lock(ptr %lock)
  store atomic i64 0, ptr %short.p monotonic, align 8
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %after ]
  br i1 %timed, label %stamp, label %untimed
stamp:
  %now = call i64 @now()
  %time = getelementptr i64, ptr %times, i64 %i
  store i64 %now, ptr %time
  br label %untimed
untimed:
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %end
body:
  %next = add i64 %i, 1
  %launch = getelementptr %launch, ptr %launches, i64 %i
  %chunks.p = getelementptr %launch, ptr %launch, i64 0, i32 3
  %chunks = load i64, ptr %chunks.p
  call void @resolve(ptr %launch, ptr %slots)
  %none = icmp eq i64 %chunks, 0
  br i1 %none, label %after, label %some
some:
  %several = icmp ugt i64 %chunks, 1
  br i1 %several, label %many, label %alone
many:
  %wanted = load i64, ptr %wanted.p
  %made = load i64, ptr %made.p
  %enough = icmp uge i64 %made, %wanted
  br i1 %enough, label %ready, label %make
make:
  call void @make_workers(ptr %pool)
  br label %ready
ready:
  %hands = load i64, ptr %made.p
  %helped = icmp ne i64 %hands, 0
  br i1 %helped, label %shared, label %alone
shared:
  call void @share(ptr %pool, ptr %launch, i64 %chunks)
  br label %check
alone:
  %function = load ptr, ptr %launch
  %params.p = getelementptr %launch, ptr %launch, i64 0, i32 6
  %params = load ptr, ptr %params.p
  %tasks.p = getelementptr %launch, ptr %launch, i64 0, i32 1
  %tasks = load i64, ptr %tasks.p
  %need.p = getelementptr %launch, ptr %launch, i64 0, i32 7
  %need = load i64, ptr %need.p
  %record = getelementptr %pool, ptr %pool, i64 0, i32 17, i64 0
  %scratch = call ptr @scratch_of(ptr %record, i64 %need)
  %able = icmp ne ptr %scratch, null
  br i1 %able, label %direct, label %fail
direct:
  call void %function(ptr %params, i64 0, i64 %tasks, ptr %scratch)
  br label %check
check:
  %short = load atomic i64, ptr %short.p monotonic, align 8
  %failed = icmp ne i64 %short, 0
  br i1 %failed, label %fail, label %after
after:
  br label %head
fail:
  br label %end
end:
  %result = phi i64 [ 0, %untimed ], [ %next, %fail ]
  call i32 @pthread_mutex_unlock(ptr %lock)
  ret i64 %result
}

; Ends the workers and frees everything; nobody may be in pool_run.
define void @pool_destroy(ptr %pool) nounwind {
entry:
  %made.p = getelementptr %pool, ptr %pool, i64 0, i32 9
  %stop.p = getelementptr %pool, ptr %pool, i64 0, i32 10
  store atomic i64 1, ptr %stop.p seq_cst, align 8
  call void @wake(ptr %pool, i64 -1)
  %made = load i64, ptr %made.p
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %freed ]
  %record = getelementptr %pool, ptr %pool, i64 0, i32 17, i64 %i
  %next = add i64 %i, 1
  %caller = icmp eq i64 %i, 0
  br i1 %caller, label %freed, label %join
join:
  %handle.p = getelementptr %record, ptr %record, i64 0, i32 3
  %handle = load i64, ptr %handle.p
  call i32 @pthread_join(i64 %handle, ptr null)
  br label %freed
freed:
  %scratch = load ptr, ptr %record
  call void @free(ptr %scratch)
  %more = icmp ult i64 %i, %made
  br i1 %more, label %head, label %end
end:
  call void @free(ptr %pool)
  ret void
}
