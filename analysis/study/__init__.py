"""How are long computations run? As studies: cut into chunks, run in parallel, kept in a folder that survives
interruptions.

This package is the only home of parallelism. A study is a pure function from (chunk number, seed of its own,
parameters) to a table, and a way to combine the tables. Its result depends on nothing else: not on the number of
workers, not on where they run, not on how often the run was interrupted. Long iterative work is a chunk that
checkpoints its state.

definition  the parts of a study, and how its parameters are changed
folder      the study's folder: manifest, finished chunks, checkpoints, results
workers     this process, local processes, threads for kernels, or a Dask cluster
runner      `run_study`, `map_chunks`, `stream_chunks`; studies as text
"""

from towerlab.analysis.study.definition import Study, StudyResult, own_study, parse_parameters
from towerlab.analysis.study.folder import remove_study
from towerlab.analysis.study.runner import map_chunks, run_study, stream_chunks
