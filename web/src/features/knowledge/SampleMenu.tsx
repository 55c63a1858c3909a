import { ActionIcon, Menu } from "@mantine/core";
import { IconBooks, IconDots, IconTrash } from "@tabler/icons-react";
import { useLoadSample, useRemoveSample, useSample } from "../../api/sample";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";

/** Where the sample is brought back and sent away once the welcome is seen no more. */
export function SampleMenu() {
  const { t } = useLanguage();
  const { say, sayError } = useNotify();
  const sample = useSample().data;
  const load = useLoadSample();
  const remove = useRemoveSample();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon
          variant="default"
          size={36}
          disabled={!sample}
          loading={load.isPending || remove.isPending}
          aria-label={t("knowledge.more")}
        >
          <IconDots size={20} stroke={1.5} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {sample?.knowledgeBaseId ? (
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={18} stroke={1.5} aria-hidden />}
            onClick={() => remove.mutateAsync().then(() => say(t("welcome.removed")), sayError)}
          >
            {t("welcome.remove")}
          </Menu.Item>
        ) : (
          <Menu.Item
            leftSection={<IconBooks size={18} stroke={1.5} aria-hidden />}
            onClick={() => load.mutate(undefined, { onError: sayError })}
          >
            {t("welcome.load")}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
