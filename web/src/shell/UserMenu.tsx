import { ActionIcon, Menu, SegmentedControl, Text, useMantineColorScheme } from "@mantine/core";
import { IconBook2, IconLogout, IconUserCircle } from "@tabler/icons-react";
import { useMe } from "../api/me";
import { useReportError } from "../components/errorText";
import { useSignOut } from "../features/session/queries";
import { useLanguage } from "../messages/language";

/** Who is signed in, how the page looks and speaks, and the way out. */
export function UserMenu() {
  const { t, language, speak } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const report = useReportError();
  const signOut = useSignOut();
  const me = useMe().data;
  if (!me) return null;
  return (
    <Menu position="bottom-end" width={280} closeOnItemClick={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("user.menu", { name: me.name })}>
          <IconUserCircle size={24} stroke={1.5} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Text fw={600} px="sm" pt="xs" truncate>
          {me.name}
        </Text>
        <Text size="sm" c="dimmed" px="sm" pb="xs">
          {me.keyId ? t("user.byKey") : t(`settings.role.${me.role}`)}
        </Text>
        <Menu.Divider />
        <Menu.Label>{t("user.language")}</Menu.Label>
        <SegmentedControl
          fullWidth
          mx="sm"
          mb="xs"
          aria-label={t("user.language")}
          value={language}
          onChange={(value) => speak(value === "zh" ? "zh" : "en")}
          data={[
            { value: "en", label: "English" },
            { value: "zh", label: "中文" },
          ]}
        />
        <Menu.Label>{t("user.appearance")}</Menu.Label>
        <SegmentedControl
          fullWidth
          mx="sm"
          mb="sm"
          aria-label={t("user.appearance")}
          value={colorScheme}
          onChange={(value) => setColorScheme(value as "light" | "dark" | "auto")}
          data={[
            { value: "light", label: t("user.light") },
            { value: "dark", label: t("user.dark") },
            { value: "auto", label: t("user.auto") },
          ]}
        />
        <Menu.Divider />
        <Menu.Item component="a" href="/docs" leftSection={<IconBook2 size={16} aria-hidden />}>
          {t("user.apiDocs")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={() => signOut.mutate(undefined, { onError: report })}
        >
          {t("user.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
