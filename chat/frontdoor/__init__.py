"""The Front Door: one brief in, exactly one decision out. Nothing here acts on a decision."""
