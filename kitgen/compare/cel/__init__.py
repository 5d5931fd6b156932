"""CEL rules compared by proof: whether every object of today passes the rule of tomorrow."""
