"""What office formats share: packages of XML parts and OLE containers."""
