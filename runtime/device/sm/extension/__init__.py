"""Instructions that few kernels have: mbarriers, bulk and tensor copies, clusters, wgmma, textures, the heap."""
