"""What is left of a post or a reply once nothing in it can give the winner away."""
