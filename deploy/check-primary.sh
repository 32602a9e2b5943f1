#!/bin/sh
# For HAProxy's external-check: succeeds if PostgreSQL accepts writes. HAProxy passes the proxy's own address and port,
# then those of the server. The user needs only the right to connect; a password is read from ~/.pgpass.
answer=$(PGCONNECT_TIMEOUT=4 psql -h "$3" -p "$4" -U "${CHECK_USER:-plumbline}" -d "${CHECK_DATABASE:-plumbline}" \
  -Atqc 'select not pg_is_in_recovery()') && [ "$answer" = t ]
