"""Sensor modules: from patches of depth and colour to sensations, batched over rows and sensors."""

from saccade.cortex.sense.change import ChangeMemory, ChangeThresholds, pass_changes
from saccade.cortex.sense.module import Sensation, SensorSettings, hsv_from_rgb, sense, signed_log
from saccade.cortex.sense.noise import NoiseSettings, add_noise, rotation_from_euler
from saccade.cortex.sense.surface import SurfaceFit, fit_surfaces

__all__ = [
    "ChangeMemory",
    "ChangeThresholds",
    "NoiseSettings",
    "Sensation",
    "SensorSettings",
    "SurfaceFit",
    "add_noise",
    "fit_surfaces",
    "hsv_from_rgb",
    "pass_changes",
    "rotation_from_euler",
    "sense",
    "signed_log",
]
