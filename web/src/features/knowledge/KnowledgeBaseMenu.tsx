import { ActionIcon, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDots, IconDownload, IconPencil, IconTrash } from "@tabler/icons-react";
import { Link } from "react-router";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";
import { DeleteKnowledgeBase } from "./DeleteKnowledgeBase";
import { type KnowledgeBase, useExportBundle } from "./queries";

/** What is done to a knowledge base as a whole. */
export function KnowledgeBaseMenu({ kb, writes }: { kb: KnowledgeBase; writes: boolean }) {
  const { t } = useLanguage();
  const { say, sayError } = useNotify();
  const [deleting, dialog] = useDisclosure();
  const save = useExportBundle();
  const exportBundle = (vectors: boolean) => {
    say(t("knowledge.exporting"));
    save.mutate({ kb, vectors }, { onError: sayError });
  };
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <ActionIcon
            variant="default"
            size={36}
            loading={save.isPending}
            aria-label={t("knowledge.actions", { name: kb.name })}
          >
            <IconDots size={20} stroke={1.5} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {writes && (
            <Menu.Item
              component={Link}
              to={`/knowledge/${kb.id}/settings`}
              leftSection={<IconPencil size={18} stroke={1.5} aria-hidden />}
            >
              {t("knowledge.edit")}
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconDownload size={18} stroke={1.5} aria-hidden />}
            onClick={() => exportBundle(false)}
          >
            {t("knowledge.exportPlain")}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconDownload size={18} stroke={1.5} aria-hidden />}
            onClick={() => exportBundle(true)}
          >
            {t("knowledge.exportVectors")}
          </Menu.Item>
          {writes && !kb.builtIn && (
            <Menu.Item
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={18} stroke={1.5} aria-hidden />}
              onClick={dialog.open}
            >
              {t("knowledge.delete")}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <DeleteKnowledgeBase kb={kb} opened={deleting} onClose={dialog.close} />
    </>
  );
}
