import { useEffect } from "react";
import { useNavigate } from "react-router";
import { SEARCH_BOX } from "../components/searchBox";

/** `/` leads to the search box from anywhere, unless somebody is typing. */
export function useSearchShortcut(): void {
  const navigate = useNavigate();
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      const box = document.getElementById(SEARCH_BOX);
      if (box instanceof HTMLInputElement) box.select();
      else navigate("/search", { state: { focusSearch: true } });
    };
    window.addEventListener("keydown", hear);
    return () => window.removeEventListener("keydown", hear);
  }, [navigate]);
}

function isTyping(target: EventTarget | null): boolean {
  // A dialog has its own business.
  return (
    target instanceof HTMLElement &&
    target.closest("input, textarea, select, [contenteditable], [role=dialog]") !== null
  );
}
