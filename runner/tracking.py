"""MLflow."""

from pathlib import Path

from runner.config import Tracking
from runner.runs import Experiment


def deliver(experiment: Experiment, tracking: Tracking) -> str:
    """Stub."""
    return "mlflow: stub"


def pending(experiment: Experiment, tracking: Tracking) -> bool:
    return False


def ui_command(outputs: Path) -> list[str]:
    return []


def open_ui(outputs: Path) -> int:
    return 0
