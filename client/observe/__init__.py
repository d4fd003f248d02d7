"""What is seen of an install by the service and by Kubernetes."""
