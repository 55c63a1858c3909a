import { Button, Container, Group, Stack, Text, Title } from "@mantine/core";
import { useEffect } from "react";
import { Link, Navigate, useLocation } from "react-router";
import { useLanguage } from "../../messages/language";
import { LanguageLink } from "./LanguageLink";

/** Asks before a link that a page led to is used: it may change who is signed in, or where they are a member. */
export function LinkPage() {
  const { t } = useLanguage();
  const token = secretIn(useLocation().hash);
  useEffect(() => {
    document.title = `${t("session.useTitle")} · Pinakes`;
  }, [t]);
  if (!token) return <Navigate to="/welcome?problem=link" replace />;
  return (
    <Container component="main" size={440} py={{ base: 40, sm: 96 }}>
      <Stack gap="lg">
        <Title order={1}>{t("session.useTitle")}</Title>
        <Stack className="sheet" p="lg" gap="md">
          <Text>{t("session.use")}</Text>
          <Text>{t("session.useDoubt")}</Text>
          {/* A form of the browser's own: the answer sets the cookie and leads on, and the server sees whence it comes. */}
          <form method="post" action="/sign-in/agreed">
            <input type="hidden" name="token" value={token} />
            <Group justify="flex-end">
              <Button component={Link} to="/" variant="default" autoFocus>
                {t("session.useNot")}
              </Button>
              <Button type="submit">{t("session.useAct")}</Button>
            </Group>
          </form>
        </Stack>
        <LanguageLink />
      </Stack>
    </Container>
  );
}

function secretIn(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return "";
  }
}
