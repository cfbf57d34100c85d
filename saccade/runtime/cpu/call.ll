; A plan as a builtin function of Python: its one argument is the list of the addresses of its slots and of the arena.
; builtin.py makes it. pool.ll is above.

%call = type { ptr, ptr, i64, i64 }                            ; where the pool is, launches, how many, words

declare ptr @PyLong_AsVoidPtr(ptr)
declare i64 @PyList_Size(ptr)
declare ptr @PyList_GetItem(ptr, i64)
declare i64 @PyLong_AsLongLong(ptr)
declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyErr_Occurred()
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)

; What pool_run returns; -1 for another number of addresses; null where Python has raised.
define ptr @plan_call(ptr %self, ptr %addresses) nounwind {
entry:
  %call = call ptr @PyLong_AsVoidPtr(ptr %self)
  %home.p = getelementptr %call, ptr %call, i64 0, i32 0
  %launches.p = getelementptr %call, ptr %call, i64 0, i32 1
  %count.p = getelementptr %call, ptr %call, i64 0, i32 2
  %words.p = getelementptr %call, ptr %call, i64 0, i32 3
  %words = load i64, ptr %words.p
  %size = call i64 @PyList_Size(ptr %addresses)
  %right = icmp eq i64 %size, %words
  br i1 %right, label %fill, label %wrong
wrong:
  %list = icmp sge i64 %size, 0
  br i1 %list, label %end, label %raised
fill:
  %table = alloca i64, i64 %words
  br label %head
head:
  %i = phi i64 [ 0, %fill ], [ %next, %body ]
  %more = icmp ult i64 %i, %words
  br i1 %more, label %body, label %filled
body:
  %next = add i64 %i, 1
  %item = call ptr @PyList_GetItem(ptr %addresses, i64 %i)
  %word = call i64 @PyLong_AsLongLong(ptr %item)
  %word.p = getelementptr i64, ptr %table, i64 %i
  store i64 %word, ptr %word.p
  br label %head
filled:
  %error = call ptr @PyErr_Occurred()
  %fine = icmp eq ptr %error, null
  br i1 %fine, label %go, label %raised
go:
  %home = load ptr, ptr %home.p
  %pool = load ptr, ptr %home
  %launches = load ptr, ptr %launches.p
  %count = load i64, ptr %count.p
  %state = call ptr @PyEval_SaveThread()
  %failed = call i64 @pool_run(ptr %pool, ptr %launches, i64 %count, ptr %table, ptr null)
  call void @PyEval_RestoreThread(ptr %state)
  br label %end
end:
  %told = phi i64 [ -1, %wrong ], [ %failed, %go ]
  %result = call ptr @PyLong_FromLongLong(i64 %told)
  ret ptr %result
raised:
  ret ptr null
}
