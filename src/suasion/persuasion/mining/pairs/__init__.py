"""From mined debates to pairs: which replies may be compared, matched and balanced on length, dealt into splits that share nothing."""
