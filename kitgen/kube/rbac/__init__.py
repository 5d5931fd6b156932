"""Who may do what: rules of roles, the roles that Kubernetes has by itself, and who holds which."""
