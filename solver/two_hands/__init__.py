"""Who takes how many tricks of two hands with all cards seen? The tablebase."""
