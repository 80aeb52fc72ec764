def find(name: str, limit: int = 5) -> dict[str, object]:
    return {"found": name, "limit": limit}
