"""`grad`, `backward`, `vmap`, checkpoints, custom gradients, and what forward may keep."""
