"""MLflow."""
from pathlib import Path
from runner.runs import Experiment
from runner.config import Tracking


def deliver(experiment: Experiment, tracking: Tracking) -> str:
    """Stub."""
    return "mlflow: stub"
def pending(experiment: Experiment, tracking: Tracking) -> bool:
    return False
def ui_command(outputs: Path) -> list[str]:
    return []
def open_ui(outputs: Path) -> int:
    return 0
