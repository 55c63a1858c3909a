import { ActionIcon, Button, Group, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconFolderPlus, IconPlus, IconWorldPlus } from "@tabler/icons-react";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";
import { AddAddressesDialog } from "./AddAddressesDialog";
import { askForFiles } from "./chosenFiles";
import { addFiles } from "./uploads";

/** Every way in: files, a folder, web addresses. Dropping works everywhere on the page as well. */
export function AddMenu({ kbId }: { kbId: string }) {
  const { t } = useLanguage();
  const { say } = useNotify();
  const [asking, dialog] = useDisclosure();
  const add = async (folder: boolean) => {
    const files = await askForFiles({ folder });
    if (files?.length) addFiles(kbId, files);
    else if (files) say(t("uploads.nothing"));
  };
  return (
    <>
      <Group gap={1} wrap="nowrap">
        <Button
          leftSection={<IconPlus size={18} aria-hidden />}
          onClick={() => add(false)}
          style={{ borderStartEndRadius: 0, borderEndEndRadius: 0 }}
        >
          {t("uploads.add")}
        </Button>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon
              size={36}
              variant="filled"
              aria-label={t("uploads.addMore")}
              style={{ borderStartStartRadius: 0, borderEndStartRadius: 0 }}
            >
              <IconChevronDown size={18} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconFolderPlus size={18} stroke={1.5} aria-hidden />} onClick={() => add(true)}>
              {t("uploads.addFolder")}
            </Menu.Item>
            <Menu.Item leftSection={<IconWorldPlus size={18} stroke={1.5} aria-hidden />} onClick={dialog.open}>
              {t("uploads.addUrls")}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      {asking && <AddAddressesDialog kbId={kbId} onClose={dialog.close} />}
    </>
  );
}
