import { Button, Menu, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCheck, IconPlus, IconSelector } from "@tabler/icons-react";
import { useMe } from "../api/me";
import { useWorkspaces } from "../features/session/queries";
import { useLanguage } from "../messages/language";
import { useEnterWorkspace } from "./enterWorkspace";
import { NewWorkspace } from "./NewWorkspace";

/** Where one is working, and a way to work elsewhere. A key belongs to one workspace and has nothing to switch. */
export function WorkspaceSwitch() {
  const { t } = useLanguage();
  const me = useMe().data;
  const byKey = me?.keyId != null;
  const workspaces = useWorkspaces(me !== undefined && !byKey).data ?? [];
  const [making, dialog] = useDisclosure();
  const enter = useEnterWorkspace();
  if (!me) return null;
  if (byKey) {
    return (
      <Text fw={500} truncate miw={0}>
        {me.workspaceName}
      </Text>
    );
  }
  return (
    <>
      <Menu position="bottom-start" width={260}>
        <Menu.Target>
          <Button
            variant="subtle"
            color="gray"
            c="var(--mantine-color-text)"
            px="xs"
            miw={0}
            rightSection={<IconSelector size={16} aria-hidden />}
            aria-label={t("workspace.switch", { name: me.workspaceName })}
          >
            <Text fw={500} truncate>
              {me.workspaceName}
            </Text>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t("workspace.yours")}</Menu.Label>
          {workspaces.map((workspace) => (
            <Menu.Item
              key={workspace.id}
              onClick={() => enter(workspace.id)}
              rightSection={workspace.id === me.workspaceId ? <IconCheck size={16} aria-hidden /> : null}
              aria-current={workspace.id === me.workspaceId || undefined}
            >
              {workspace.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<IconPlus size={16} aria-hidden />} onClick={dialog.open}>
            {t("workspace.create")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <NewWorkspace opened={making} onClose={dialog.close} onMade={enter} />
    </>
  );
}
