"""Matrix products and convolutions: tiles by threads, warps (mma), warpgroups (wgmma), bulk copies (TMA)."""
