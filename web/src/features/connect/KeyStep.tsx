import { Alert, Button, Group, Radio, Select, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { useMe } from "../../api/me";
import { ErrorState } from "../../components/ErrorState";
import { useLanguage } from "../../messages/language";
import { AwayLink } from "./AwayLink";
import { type NewKey, type Scope, useMakeKey } from "./queries";

const DAYS = [7, 30, 90, 365];
const DAY = 86_400_000;

type Props = {
  suggested: string;
  writes: boolean;
  onWrites: (writes: boolean) => void;
  made: NewKey | null;
  onMade: (key: NewKey | null) => void;
};

/** A name, rights and an end become a key, on a click. */
export function KeyStep({ suggested, writes, onWrites, made, onMade }: Props) {
  const { t } = useLanguage();
  if (made) {
    return (
      <Alert icon={<IconKey aria-hidden />} color="verdigris" role="status">
        <Stack gap="xs" align="flex-start">
          <Text>{t("connect.made", { name: made.name })}</Text>
          <Text>
            {t("connect.revoke")}{" "}
            <AwayLink to="/settings/keys" beside>
              {t("connect.toKeys")}
            </AwayLink>
          </Text>
          <Text>{t("connect.secretHint")}</Text>
          <Button variant="default" size="xs" onClick={() => onMade(null)}>
            {t("connect.another")}
          </Button>
        </Stack>
      </Alert>
    );
  }
  return <KeyForm suggested={suggested} writes={writes} onWrites={onWrites} onMade={onMade} />;
}

function KeyForm({ suggested, writes, onWrites, onMade }: Omit<Props, "made">) {
  const { t } = useLanguage();
  const mayWrite = useMe().data?.scopes.includes("write") ?? false;
  const [typed, setTyped] = useState<string | null>(null);
  const [days, setDays] = useState("90");
  const make = useMakeKey();
  const name = typed ?? suggested;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const scopes: Scope[] = writes ? ["read", "write"] : ["read"];
    const expiresAt = days === "never" ? null : new Date(Date.now() + Number(days) * DAY).toISOString();
    make.mutate({ name, scopes, expiresAt }, { onSuccess: onMade });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text c="dimmed">{t("connect.keyHint")}</Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={t("connect.keyName")}
            required
            value={name}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Select
            label={t("connect.expiry")}
            allowDeselect={false}
            value={days}
            onChange={(value) => value && setDays(value)}
            data={[
              ...DAYS.map((count) => ({ value: String(count), label: t("connect.expiry.days", { count }) })),
              { value: "never", label: t("connect.expiry.never") },
            ]}
          />
        </SimpleGrid>
        <Radio.Group
          label={t("connect.rights")}
          value={writes ? "write" : "read"}
          onChange={(value) => onWrites(value === "write")}
        >
          <Group mt="xs" gap="lg">
            <Radio value="read" label={t("connect.rights.read")} />
            <Radio
              value="write"
              label={t("connect.rights.write")}
              description={mayWrite ? undefined : t("connect.rights.writeNot")}
              disabled={!mayWrite}
            />
          </Group>
        </Radio.Group>
        {make.error && <ErrorState error={make.error} />}
        <Group>
          <Button
            type="submit"
            loading={make.isPending}
            disabled={!name.trim()}
            leftSection={<IconKey size={18} stroke={1.5} aria-hidden />}
          >
            {t("connect.makeKey")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
