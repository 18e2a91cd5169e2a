def page() -> bytes:
    return b"{}"
