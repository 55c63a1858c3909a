"""Mail: EML, MBOX, Outlook."""
