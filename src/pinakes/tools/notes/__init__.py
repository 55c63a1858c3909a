"""The notes toolset: knowledge that agents write down."""
