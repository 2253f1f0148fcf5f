"""A kind of node that the product does not have, and what holds of it once its module and its line are there."""
