"""The table as a service (`lumiban serve`): it waits for boards, and keeps tables and pages up."""
