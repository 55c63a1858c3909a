import { Group, Radio, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useSearchParams } from "react-router";
import { PageHeader } from "../../components/PageHeader";
import { useLanguage } from "../../messages/language";
import { AwayLink } from "./AwayLink";
import { asClient, CLIENTS, type Client } from "./clients";
import { Configuration } from "./Configuration";
import { KeyStep } from "./KeyStep";
import type { NewKey } from "./queries";
import { ToolNotice } from "./ToolNotice";

export function ConnectPage() {
  const { t } = useLanguage();
  const [parameters, setParameters] = useSearchParams();
  const client = asClient(parameters.get("client"));
  const [writes, setWrites] = useState(false);
  // Kept nowhere else: once this page is left, the key is gone.
  const [made, setMade] = useState<NewKey | null>(null);
  return (
    <>
      <PageHeader title={t("connect.title")} description={t("connect.intro")} />
      <Stack gap="lg" maw="52rem">
        <Step title={t("connect.client")}>
          <ClientChoice client={client} onChoose={(chosen) => setParameters({ client: chosen }, { replace: true })} />
        </Step>
        <Step title={t("connect.key")}>
          <KeyStep
            suggested={t(`connect.client.${client}`)}
            writes={writes}
            onWrites={setWrites}
            made={made}
            onMade={setMade}
          />
          <ToolNotice beside={made !== null} scopes={made?.scopes ?? (writes ? ["read", "write"] : ["read"])} />
        </Step>
        <Step title={t("connect.configuration")}>
          <Configuration client={client} apiKey={made?.key ?? null} />
          <Text>
            {t("connect.watch")}{" "}
            <AwayLink to="/activity" beside={made !== null}>
              {t("connect.watchLink")}
            </AwayLink>
          </Text>
        </Step>
      </Stack>
    </>
  );
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="sheet" style={{ padding: "var(--mantine-spacing-lg)", overflow: "visible" }}>
      <Stack>
        <Title order={2}>{title}</Title>
        {children}
      </Stack>
    </section>
  );
}

function ClientChoice({ client, onChoose }: { client: Client; onChoose: (client: Client) => void }) {
  const { t } = useLanguage();
  return (
    <Radio.Group aria-label={t("connect.client")} value={client} onChange={(value) => onChoose(asClient(value))}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
        {CLIENTS.map((one) => (
          <Radio.Card key={one} value={one} p="sm" withBorder>
            <Group gap="sm" wrap="nowrap">
              <Radio.Indicator />
              <Text fw={500}>{t(`connect.client.${one}`)}</Text>
            </Group>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}
