import { Button, Group, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { IconBook2, IconPlugConnected, IconUpload } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Schemas } from "../../api/client";
import { useMe } from "../../api/me";
import { PageHeader } from "../../components/PageHeader";
import { useLanguage } from "../../messages/language";
import { SampleStep } from "./SampleStep";

/** Three steps for whoever sees the product for the first time. */
export function Welcome({ sample }: { sample: Schemas["SampleOut"] }) {
  const { t } = useLanguage();
  const writes = useMe().data?.scopes.includes("write") ?? false;
  return (
    <>
      <PageHeader title={t("welcome.title")} description={t("welcome.intro")} />
      <Stack component="ol" gap="md" m={0} p={0}>
        <Step number={1} title={t("welcome.ask")}>
          <SampleStep sample={sample} writes={writes} />
        </Step>
        <Step number={2} title={t("welcome.add")}>
          <Text>{writes ? t("welcome.addHint") : t("welcome.addHintViewer")}</Text>
          {writes && (
            <Group>
              <Button component={Link} to="/knowledge" leftSection={<IconUpload size={18} stroke={1.5} aria-hidden />}>
                {t("welcome.addAct")}
              </Button>
            </Group>
          )}
        </Step>
        <Step number={3} title={t("welcome.connect")}>
          <Text>{t("welcome.connectHint")}</Text>
          <Group gap="sm">
            <Button
              component={Link}
              to="/connect"
              variant="default"
              leftSection={<IconPlugConnected size={18} stroke={1.5} aria-hidden />}
            >
              {t("welcome.connectAct")}
            </Button>
            <Button
              component="a"
              href="/docs"
              variant="default"
              leftSection={<IconBook2 size={18} stroke={1.5} aria-hidden />}
            >
              {t("user.apiDocs")}
            </Button>
          </Group>
        </Step>
      </Stack>
    </>
  );
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <Group component="li" className="sheet" p="lg" gap="md" align="flex-start" wrap="nowrap">
      <ThemeIcon variant="light" radius="xl" size={32} aria-hidden visibleFrom="xs">
        <Text fw={600} inherit>
          {number}
        </Text>
      </ThemeIcon>
      <Stack gap="sm" flex={1} miw={0}>
        <Title order={2}>{title}</Title>
        {children}
      </Stack>
    </Group>
  );
}
