"""The handlers of the operations, one resource a file: each class names its handlers in `handlers()`."""
