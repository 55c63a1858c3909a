import { lazy, Suspense } from "react";
import { useUploads } from "../features/knowledge/uploads";

const UploadPanel = lazy(async () => ({
  default: (await import("../features/knowledge/UploadPanel")).UploadPanel,
}));

/** What is being added is shown on every page; its code is fetched when something is. */
export function Uploads() {
  const busy = useUploads().length > 0;
  return (
    busy && (
      <Suspense>
        <UploadPanel />
      </Suspense>
    )
  );
}
