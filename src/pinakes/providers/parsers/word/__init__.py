"""What word processors write: DOCX, ODT, RTF, DOC, HWP."""
