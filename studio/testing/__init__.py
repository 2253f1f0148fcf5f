"""Tests of a flow's draft: begun by pages, run by a worker, kept until they are run again."""
