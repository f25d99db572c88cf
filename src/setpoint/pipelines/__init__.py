"""What takes many steps: one file per pipeline, and the one list of them."""

from collections.abc import Mapping
from typing import Final

from setpoint.engine.pipeline import Pipeline

ALL: Final[tuple[Pipeline, ...]] = ()


def by_name(pipelines: tuple[Pipeline, ...] = ALL) -> Mapping[str, Pipeline]:
    return {pipeline.name: pipeline for pipeline in pipelines}
