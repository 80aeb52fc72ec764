"""The places of the app: home and workbench."""
