"""The files beside a flow: what starts it, what it must do, how good it is. Each kind of file has one door."""
