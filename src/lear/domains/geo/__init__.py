"""GeoQuery: questions about the geography of the United States, with FunQL programs as meanings."""
