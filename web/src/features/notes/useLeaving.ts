import { useEffect, useRef } from "react";
import { type To, useBlocker, useNavigate } from "react-router";

/** Holds back whoever would lose text by leaving; `leave` goes without asking. */
export function useLeaving(unsaved: boolean) {
  const navigate = useNavigate();
  const free = useRef(false);
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      unsaved && !free.current && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!unsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [unsaved]);
  const leave = async (to: To, options?: { replace?: boolean; state?: unknown }) => {
    free.current = true;
    await navigate(to, options);
    free.current = false;
  };
  return {
    asking: blocker.state === "blocked",
    stay: () => blocker.state === "blocked" && blocker.reset(),
    go: () => blocker.state === "blocked" && blocker.proceed(),
    leave,
  };
}
