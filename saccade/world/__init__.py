"""Where sensors move: objects, exact and field sensing, agents, noise, images. Start at `protocol`."""

from typing import TYPE_CHECKING

from saccade.lazy import names_of

if TYPE_CHECKING:
    from saccade.world.agents import (
        centre_pixel,
        distant_rig,
        facing,
        forward,
        good_view,
        jump_to_surface,
        looking_at,
        sideways,
        standing_back,
        surface_rig,
        viewfinder,
        yaw_pitch,
    )
    from saccade.world.fields.field_world import FieldWorld
    from saccade.world.formats.formats import load_folder, read_mesh
    from saccade.world.images import ImageWorld, Photo, Picture
    from saccade.world.meshes.mesh import Mesh, MeshError, MeshWarning, WorldObject
    from saccade.world.meshes.mesh_world import MeshWorld
    from saccade.world.noise import DepthNoise
    from saccade.world.objects import ALL, DISTINCT, SIMILAR, builtin_object, builtin_objects
    from saccade.world.protocol import Actions, Observation, Placement, Pose, Rig, Scene, World
    from saccade.world.symmetry.symmetry import Symmetry, rotation_error

__all__ = [
    "ALL",
    "DISTINCT",
    "SIMILAR",
    "Actions",
    "DepthNoise",
    "FieldWorld",
    "ImageWorld",
    "Mesh",
    "MeshError",
    "MeshWarning",
    "MeshWorld",
    "Observation",
    "Photo",
    "Picture",
    "Placement",
    "Pose",
    "Rig",
    "Scene",
    "Symmetry",
    "World",
    "WorldObject",
    "builtin_object",
    "builtin_objects",
    "centre_pixel",
    "distant_rig",
    "facing",
    "forward",
    "good_view",
    "jump_to_surface",
    "load_folder",
    "looking_at",
    "read_mesh",
    "rotation_error",
    "sideways",
    "standing_back",
    "surface_rig",
    "viewfinder",
    "yaw_pitch",
]

__getattr__ = names_of(
    __name__,
    {
        "ALL": ".objects",
        "DISTINCT": ".objects",
        "SIMILAR": ".objects",
        "Actions": ".protocol",
        "DepthNoise": ".noise",
        "FieldWorld": ".fields.field_world",
        "ImageWorld": ".images",
        "Mesh": ".meshes.mesh",
        "MeshError": ".meshes.mesh",
        "MeshWarning": ".meshes.mesh",
        "MeshWorld": ".meshes.mesh_world",
        "Observation": ".protocol",
        "Photo": ".images",
        "Picture": ".images",
        "Placement": ".protocol",
        "Pose": ".protocol",
        "Rig": ".protocol",
        "Scene": ".protocol",
        "Symmetry": ".symmetry.symmetry",
        "World": ".protocol",
        "WorldObject": ".meshes.mesh",
        "builtin_object": ".objects",
        "builtin_objects": ".objects",
        "centre_pixel": ".agents",
        "distant_rig": ".agents",
        "facing": ".agents",
        "forward": ".agents",
        "good_view": ".agents",
        "jump_to_surface": ".agents",
        "load_folder": ".formats.formats",
        "looking_at": ".agents",
        "read_mesh": ".formats.formats",
        "rotation_error": ".symmetry.symmetry",
        "sideways": ".agents",
        "standing_back": ".agents",
        "surface_rig": ".agents",
        "viewfinder": ".agents",
        "yaw_pitch": ".agents",
    },
)
