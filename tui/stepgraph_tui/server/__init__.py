"""Runs and reviews over HTTP: a service, FastAPI above it, and pages for people."""
