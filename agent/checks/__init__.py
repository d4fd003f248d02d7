"""Questions that node0 has about a host: one a file, answered with facts; the judgement is node0's."""
