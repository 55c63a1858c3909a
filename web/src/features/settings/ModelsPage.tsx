import { Stack } from "@mantine/core";
import { useMe } from "../../api/me";
import { Embedders } from "./Embedders";
import { Rerankers } from "./Rerankers";

export function ModelsPage() {
  const administers = useMe().data?.scopes.includes("admin") ?? false;
  return (
    <Stack gap={40}>
      <Embedders administers={administers} />
      <Rerankers administers={administers} />
    </Stack>
  );
}
