"""What concerns the whole process: forks, the garbage collector, compiling in the background."""
