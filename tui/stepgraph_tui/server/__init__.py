"""Runs and reviews over HTTP: a service without HTTP, a thin layer of Starlette above it, and pages for people."""
