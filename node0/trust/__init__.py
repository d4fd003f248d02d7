"""Who may call the service: the tokens, how they are made and how they are judged."""
