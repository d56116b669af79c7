"""What is legal: categories of meanings, rules over them, and sentences as a grammar sees them."""
