"""Files over HTTP: given by people and programs, handed out to those whose conversation they belong to."""
