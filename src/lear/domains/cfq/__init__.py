"""CFQ (Keysers et al. 2020): English questions to SPARQL over Freebase."""
