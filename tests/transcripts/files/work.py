def work(state: dict[str, int]) -> dict[str, int]:
    return {"count": state["count"] + 1}
