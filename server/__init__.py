"""The imperative shell: the table service, REST, the socket, accounts, settings."""
