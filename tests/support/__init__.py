"""What tests stand on: real servers, started and ended around them."""
