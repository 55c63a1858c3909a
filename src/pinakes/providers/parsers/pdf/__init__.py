"""PDF: text, headings and tables from where the characters stand."""
