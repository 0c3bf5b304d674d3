"""MLflow as a sink over finished run folders; the only importer of mlflow, and only while it delivers."""

from runner.tracking.deliver import deliver, pending
from runner.tracking.destination import OFF, without_credentials
from runner.tracking.marker import Files, asked
from runner.tracking.ui import open_ui, ui_command

__all__ = ["OFF", "Files", "asked", "deliver", "open_ui", "pending", "ui_command", "without_credentials"]
