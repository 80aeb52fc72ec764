"""Diagrams of others, read: Mermaid, DOT, Amazon States Language, node-link JSON."""
