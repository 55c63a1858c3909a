import { Button, Stack, Text, Title } from "@mantine/core";
import { useLanguage } from "../messages/language";

/** A page that broke says so, and leaves the rest of the shell alone. Also met when a new version was installed. */
export function RouteError() {
  const { t } = useLanguage();
  return (
    <Stack align="center" py={80} px="md" ta="center" role="alert">
      <Title order={1}>{t("state.brokenTitle")}</Title>
      <Text maw={440}>{t("state.broken")}</Text>
      <Button onClick={() => location.reload()}>{t("state.reload")}</Button>
    </Stack>
  );
}
