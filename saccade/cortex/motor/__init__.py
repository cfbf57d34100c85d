"""Motor policies: from sensations and goals to actions, batched over rows."""

from saccade.cortex.motor.goal import GoalDriven, GoalState, jump_to_goal, look_at_goal
from saccade.cortex.motor.inhibition import Inhibition, Visited
from saccade.cortex.motor.policy import MotorInput, Policy
from saccade.cortex.motor.scan import Replay, ReplayState, ScanState, SpiralScan
from saccade.cortex.motor.surface import FollowState, SurfaceFollow
from saccade.cortex.motor.walk import RandomWalk, WalkState

__all__ = [
    "FollowState",
    "GoalDriven",
    "GoalState",
    "Inhibition",
    "MotorInput",
    "Policy",
    "RandomWalk",
    "Replay",
    "ReplayState",
    "ScanState",
    "SpiralScan",
    "SurfaceFollow",
    "Visited",
    "WalkState",
    "jump_to_goal",
    "look_at_goal",
]
