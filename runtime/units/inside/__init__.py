"""The code that runs inside the sandbox. It imports nothing of this project but its own folder, and no package."""
