"""The exact objective: marginal likelihood over packed forests."""
