import { Code, Group, Stack, Text, Title } from "@mantine/core";
import { CopyButton } from "../../components/CopyButton";
import { useLanguage } from "../../messages/language";
import { type Client, configurationOf, type Part } from "./clients";

/** Stands where the key will be. */
const NO_KEY = "YOUR_KEY";

/** What to copy, and where it goes. */
export function Configuration({ client, apiKey }: { client: Client; apiKey: string | null }) {
  const { t } = useLanguage();
  const parts = configurationOf(client, window.location.origin, apiKey ?? NO_KEY);
  return (
    <Stack>
      <Text>{t(`connect.where.${client}`)}</Text>
      {!apiKey && <Text c="dimmed">{t("connect.placeholder", { key: NO_KEY })}</Text>}
      {parts.map((part) => (
        <Copyable key={part.name} part={part} />
      ))}
    </Stack>
  );
}

function Copyable({ part }: { part: Part }) {
  const { t } = useLanguage();
  const name = t(`connect.part.${part.name}`);
  return (
    <Stack gap={6} role="group" aria-label={name}>
      <Group justify="space-between" align="flex-end">
        <Title order={3}>{name}</Title>
        <CopyButton text={part.text} />
      </Group>
      <Code block style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {part.text}
      </Code>
    </Stack>
  );
}
