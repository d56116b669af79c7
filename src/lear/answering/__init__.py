"""One sentence to one answer: decoding, probability, refusal, explanation, limits."""
