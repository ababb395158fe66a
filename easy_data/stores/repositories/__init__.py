"""All SQL of the package, one table family a file. Every statement is scoped by tenant."""
