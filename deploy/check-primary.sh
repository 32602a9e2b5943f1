#!/bin/sh
# For HAProxy's external-check: succeeds where PostgreSQL takes writes. HAProxy gives the proxy's own address and port,
# then those of the server. Who asks needs no more than the right to connect; a password is read from ~/.pgpass.
answer=$(PGCONNECT_TIMEOUT=4 psql -h "$3" -p "$4" -U "${CHECK_USER:-plumbline}" -d "${CHECK_DATABASE:-plumbline}" \
  -Atqc 'select not pg_is_in_recovery()') && [ "$answer" = t ]
