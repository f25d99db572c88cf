"""The agenda: drained by workers, ringing on intervals, and with a backlog in front of something fresh."""
