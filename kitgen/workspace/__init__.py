"""An opened kit: sources, what is compiled and checked on demand, baselines, the cache."""
