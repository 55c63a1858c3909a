"""Tables: XLSX, ODS, XLS, CSV."""
