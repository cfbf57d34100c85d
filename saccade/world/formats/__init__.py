"""Files of objects and pictures: meshes, archives, PNG, and meshes made ready once."""
