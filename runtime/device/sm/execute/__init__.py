"""What each instruction computes, as machine code that the engine calls by address, and the oracle it is tested by."""
