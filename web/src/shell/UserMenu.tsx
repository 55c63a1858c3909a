import {
  ActionIcon,
  Divider,
  NavLink,
  Popover,
  SegmentedControl,
  Stack,
  Text,
  useMantineColorScheme,
} from "@mantine/core";
import { IconBook2, IconLogout, IconUserCircle } from "@tabler/icons-react";
import { useMe } from "../api/me";
import { useNotify } from "../components/notify";
import { useSignOut } from "../features/session/queries";
import { useLanguage } from "../messages/language";

/** Who is signed in, how the page looks and speaks, and the way out. */
export function UserMenu() {
  const { t } = useLanguage();
  const { sayError } = useNotify();
  const signOut = useSignOut();
  const me = useMe().data;
  if (!me) return null;
  return (
    <Popover position="bottom-end" width={280} trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("user.menu", { name: me.name })}>
          <IconUserCircle size={24} stroke={1.5} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("user.menu", { name: me.name })} p="sm">
        <Text fw={600} truncate px="xs">
          {me.name}
        </Text>
        <Text size="sm" c="dimmed" px="xs">
          {me.keyId ? t("user.byKey") : t(`settings.role.${me.role}`)}
        </Text>
        <Divider my="sm" />
        <Choices />
        <Divider my="sm" />
        <NavLink
          href="/docs"
          label={t("user.apiDocs")}
          leftSection={<IconBook2 size={18} stroke={1.5} aria-hidden />}
        />
        <NavLink
          component="button"
          label={t("user.signOut")}
          leftSection={<IconLogout size={18} stroke={1.5} aria-hidden />}
          onClick={() => signOut.mutate(undefined, { onError: sayError })}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function Choices() {
  const { t, language, speak } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Stack gap={6} px="xs">
      <Text size="sm" fw={500}>
        {t("user.language")}
      </Text>
      <SegmentedControl
        fullWidth
        aria-label={t("user.language")}
        value={language}
        onChange={(value) => speak(value === "zh" ? "zh" : "en")}
        data={[
          { value: "en", label: "English" },
          { value: "zh", label: "中文" },
        ]}
      />
      <Text size="sm" fw={500} mt={6}>
        {t("user.appearance")}
      </Text>
      <SegmentedControl
        fullWidth
        aria-label={t("user.appearance")}
        value={colorScheme}
        onChange={(value) => setColorScheme(value as "light" | "dark" | "auto")}
        data={[
          { value: "light", label: t("user.light") },
          { value: "dark", label: t("user.dark") },
          { value: "auto", label: t("user.auto") },
        ]}
      />
    </Stack>
  );
}
