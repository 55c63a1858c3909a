import { lazy, Suspense, useEffect } from "react";
import { useUploads } from "../features/knowledge/uploads";

const UploadPanel = lazy(async () => ({
  default: (await import("../features/knowledge/UploadPanel")).UploadPanel,
}));

/** What is being added is shown on every page; its code is fetched when something is. */
export function Uploads() {
  const some = useUploads().length > 0;
  useRefusedDrops();
  return (
    some && (
      <Suspense>
        <UploadPanel />
      </Suspense>
    )
  );
}

/** Left to itself the browser would leave the page for a file that was dropped where nothing takes it. */
function useRefusedDrops(): void {
  useEffect(() => {
    const refuse = (event: DragEvent) => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "none";
    };
    addEventListener("dragover", refuse);
    addEventListener("drop", refuse);
    return () => {
      removeEventListener("dragover", refuse);
      removeEventListener("drop", refuse);
    };
  }, []);
}
