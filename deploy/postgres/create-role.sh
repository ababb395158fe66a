#!/bin/sh
# Runs once, when the database's volume is new. The service's user is an ordinary one that owns its database:
# row-level security, which keeps tenants apart, does not hold for a superuser.
set -eu
psql --no-psqlrc --set=ON_ERROR_STOP=1 --set=password="$DATABASE_PASSWORD" \
    --username="$POSTGRES_USER" --dbname=postgres <<'SQL'
CREATE ROLE easy_data LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE easy_data OWNER easy_data;
SQL
