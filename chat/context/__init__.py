"""The ContextBuilder: everything a model may know about one message, gathered before it is asked."""
