import { Code, Group, Stack, Text } from "@mantine/core";
import { CopyButton } from "./CopyButton";

/** A key or a link that is shown this once. */
export function SecretText({ text, hint }: { text: string; hint: string }) {
  return (
    <Stack gap="sm">
      <Text>{hint}</Text>
      <Code block className="secret" style={{ whiteSpace: "pre-wrap" }}>
        {text}
      </Code>
      <Group justify="flex-end">
        <CopyButton text={text} />
      </Group>
    </Stack>
  );
}
