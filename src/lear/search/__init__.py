"""Finding derivations: charts, packed forests, best derivations, and search guided by gold."""
