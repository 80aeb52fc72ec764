from stepgraph import END, StateGraph


def draft(state: dict[str, str]) -> dict[str, str]:
    return {"letter": f"Dear {state['name']}, your refund is on its way."}


def check(state: dict[str, str]) -> dict[str, bool]:
    return {"fits": len(state["letter"]) <= 80}


graph = StateGraph("letter", start="draft")
graph.add_key("name", input=True, default="Ana")
graph.add_node("draft", draft)
graph.add_node("check", check)
graph.add_edge("draft", "check")
graph.add_edge("check", END, when=lambda context: context.state["fits"], label="fits")
graph.add_edge("check", "draft", label="too long")
