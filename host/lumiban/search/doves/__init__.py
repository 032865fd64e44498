"""How Tokyo Doves is thought about: alpha-beta, short wins, tables."""
