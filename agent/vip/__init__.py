"""The API's virtual address on platform baremetal: keepalived on every control plane, held by one whose API answers."""
