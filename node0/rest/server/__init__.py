"""From a request to a handler and back: binding, access, bodies, answers, errors."""
