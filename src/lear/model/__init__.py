"""The learned part: tree LSTM, Composer, Interpreter. It never sees gold and imports no domain."""
