"""Web pages, books and XML."""
