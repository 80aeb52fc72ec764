"""Runs and reviews over HTTP: a service, a thin layer of Starlette above it, and pages for people."""
