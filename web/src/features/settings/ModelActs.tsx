import { ActionIcon, Button, Group, Menu } from "@mantine/core";
import { IconDots, IconPencil, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useLanguage } from "../../messages/language";

type Props = {
  name: string;
  testing: boolean;
  onTest: () => void;
  onEdit: () => void;
  onDelete: () => void;
  children?: ReactNode;
};

/** What can be done with a model; the rarer acts, and those of its kind, are in a menu. */
export function ModelActs({ name, testing, onTest, onEdit, onDelete, children }: Props) {
  const { t } = useLanguage();
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Button
        variant="subtle"
        size="compact-sm"
        loading={testing}
        onClick={onTest}
        aria-label={t("models.testNamed", { name })}
      >
        {t("models.test")}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            c="var(--mantine-color-text)"
            aria-label={`${t("models.actions")}: ${name}`}
          >
            <IconDots size={18} stroke={1.5} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {children}
          <Menu.Item leftSection={<IconPencil size={16} stroke={1.5} aria-hidden />} onClick={onEdit}>
            {t("models.edit")}
          </Menu.Item>
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} stroke={1.5} aria-hidden />}
            onClick={onDelete}
            aria-label={t("models.deleteNamed", { name })}
          >
            {t("models.delete")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
