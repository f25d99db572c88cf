"""What takes many steps: one file per pipeline, and the one list of them."""

from collections.abc import Mapping
from typing import Final

from setpoint.engine.pipeline import Pipeline
from setpoint.pipelines.notification_deliver import NOTIFICATION_DELIVER
from setpoint.pipelines.webhook_deliver import WEBHOOK_DELIVER
from setpoint.pipelines.workspace_create import WORKSPACE_CREATE
from setpoint.pipelines.workspace_delete import WORKSPACE_DELETE

ALL: Final[tuple[Pipeline, ...]] = (WORKSPACE_CREATE, WORKSPACE_DELETE, NOTIFICATION_DELIVER, WEBHOOK_DELIVER)


def by_name(pipelines: tuple[Pipeline, ...] = ALL) -> Mapping[str, Pipeline]:
    return {pipeline.name: pipeline for pipeline in pipelines}
