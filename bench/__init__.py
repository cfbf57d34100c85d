"""Every figure of the project as a ratio against peers, measured in one run: `python -m bench`.

    python -m bench                      all cases, all peers that are installed
    python -m bench --case softmax       one case (repeat the option for more)
    python -m bench --peers numpy,torch  only these peers
    python -m bench --quick              smaller inputs and fewer rounds: does it work, not how fast is it
    python -m bench --json results.json  the same figures for a program to read
    python -m bench --eager              our programs without jit

How a time is taken. Every contender (saccade and each peer) lives in its own process with the same thread
count and the same cores, gets the same NumPy inputs, and is checked against NumPy's result before it is
timed. Rounds are interleaved: one round times every contender once, so a noisy minute hurts all of them. A
round keeps its fastest call, and the figure is the median over the rounds. A contender that raises, crashes
or hangs becomes a failed row.

    case.py        what a case is: inputs, work, one small program per contender, target
    cases/         the cases
    contenders.py  how each library is given arrays, compiled, waited for and read
    worker.py      the process around one contender
    rounds.py      the interleaved rounds
    startup.py     figures that need a new process each time: import, first result, ResNet-18's compile time
    structure.py   figures that are counts: kernels per program, rules proved, programs fuzzed
    machine.py     the floor: what this machine's memory and arithmetic allow
    report.py      the tables and the JSON
    compile.py     where compile time goes: `python -m bench.compile resnet18`
    growth.py      how compile time grows with the size of a graph: `python -m bench.growth`
    calls.py       what one small call costs, with values that change: `python -m bench.calls`
    trees.py       this tree beside one before it: `python -m bench.trees FOLDER`

`OTHERS` are benchmarks with a command line of their own.
"""

import os

# The peers run on the CPU; what measures a GPU says so.
os.environ.setdefault("SACCADE_DEVICE", "cpu")

OTHERS = {
    "evidence": "hypothesis updates, against tbp.monty or a batched torch version",
    "decisions": "the same percepts to tbp.monty's learning module and to ours",
    "voting": "what votes between modules are worth",
    "episodes": "episodes a second over rows and devices",
    "compile": "where compile time goes",
    "growth": "how compile time grows with the size of a graph",
    "calls": "what one small call costs, with values that change",
    "trees": "ResNet-18 of this tree beside one before it, in turns",
    "fitting": "laying percepts on models: compiled loops beside tensor programs",
    "wholes": "whether wholes tell objects apart, without names and with noise",
    "sweep": "programs of real models beside torch, in parts",
}
