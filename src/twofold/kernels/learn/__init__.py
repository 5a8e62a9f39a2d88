"""N-tuple networks: values and learning."""
