"""tbp.monty in MuJoCo and ours on the same scans, in the same rotations, on the same machine.

    python -m bench.monty_mujoco randrot_noise_10distinctobj_surf_agent --objects ycb --monty MONTY/bin/python

| file | what it has |
|---|---|
| `plan.py` | which episodes there are: objects, rotations, parts; both sides run exactly these |
| `peer.py` | runs a part in Monty's environment, and nothing else |
| `frames.py` | what Monty observes there, drawn with less work and the same bit for bit |
| `theirs.py` | makes Monty's folders, starts `peer.py` part by part, reads its rows |
| `ours.py` | the same with saccade |
| `score.py` | one scorer for both, and the table |
| `__main__.py` | the command |

Everything is done in parts of one epoch (each object once), learning too, and a part that is complete is
never run again: the same command goes on.
"""
