import { Alert, Button, Code, Container, Divider, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { IconKey, IconLinkOff } from "@tabler/icons-react";
import { type FormEvent, useEffect, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { ErrorState } from "../../components/ErrorState";
import { useLanguage } from "../../messages/language";
import { LanguageLink } from "./LanguageLink";
import { useSignInWithKey } from "./queries";

/** Only a path of our own: an address made by somebody else must not lead away after signing in. */
export function safePath(next: string | null): string {
  // Browsers leave control characters out of an address, and what is left may lead away.
  return next && /^\/(?![/\\])\P{Cc}*$/u.test(next) ? next : "/";
}

export function SignInPage() {
  const { t } = useLanguage();
  const [parameters] = useSearchParams();
  const navigate = useNavigate();
  const [key, setKey] = useState("");
  const signIn = useSignInWithKey();
  const next = parameters.get("next");
  useEffect(() => {
    document.title = `${t("session.title")} · Pinakes`;
  }, [t]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate(key.trim(), { onSuccess: () => navigate(safePath(next), { replace: true }) });
  };
  return (
    <Container component="main" size={440} py={{ base: 40, sm: 96 }}>
      <Stack gap="lg">
        <div>
          <Title order={1}>{t("app.name")}</Title>
          <Text c="dimmed">{t("session.intro")}</Text>
        </div>
        {parameters.get("problem") === "link" && (
          <Alert color="red" title={t("session.linkSpentTitle")} icon={<IconLinkOff aria-hidden />} role="alert">
            {t("session.linkSpent")}
          </Alert>
        )}
        {next && <Text>{t("session.expired")}</Text>}
        <Stack className="sheet" p="lg" gap="md">
          <form onSubmit={submit}>
            <Stack>
              <PasswordInput
                label={t("session.key")}
                description={t("session.keyHint")}
                leftSection={<IconKey size={18} stroke={1.5} aria-hidden />}
                autoComplete="off"
                required
                withAsterisk={false}
                autoFocus
                value={key}
                onChange={(event) => setKey(event.currentTarget.value)}
              />
              {signIn.error && <ErrorState error={signIn.error} />}
              <Button type="submit" loading={signIn.isPending}>
                {t("session.submit")}
              </Button>
            </Stack>
          </form>
          <Divider label={t("session.linkTitle")} labelPosition="center" />
          <Text size="sm">{t("session.link")}</Text>
          <Code block>pinakes sign-in-link</Code>
        </Stack>
        <LanguageLink />
      </Stack>
    </Container>
  );
}
