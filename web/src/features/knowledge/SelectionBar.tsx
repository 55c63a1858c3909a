import { Button, Group, Text } from "@mantine/core";
import { IconRefresh, IconTrash, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";
import { DeleteDocuments } from "./DeleteDocuments";
import { type Document, useRetryDocuments } from "./documentQueries";

type Props = { selected: ReadonlyMap<string, Document>; onClear: () => void };

/** What can be done with the documents that are ticked. */
export function SelectionBar({ selected, onClear }: Props) {
  const { t } = useLanguage();
  const { say, sayError } = useNotify();
  const [deleting, setDeleting] = useState(false);
  const retry = useRetryDocuments();
  const documents = [...selected.values()];
  const failed = documents.filter(({ retryable }) => retryable).map(({ id }) => id);
  const retryFailed = () =>
    retry.mutate(failed, {
      onSuccess: () => say(t("documents.retried", { count: failed.length })),
      onError: sayError,
      onSettled: onClear,
    });
  if (documents.length === 0) return null;
  return (
    <Group gap="sm" mb="sm" className="sheet selection-bar" px="md" py="xs">
      <Text fw={500} role="status">
        {t("documents.selected", { count: documents.length })}
      </Text>
      <Group gap="xs" ml="auto">
        {failed.length > 0 && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={retry.isPending}
            onClick={retryFailed}
          >
            {t("documents.retryMany", { count: failed.length })}
          </Button>
        )}
        <Button
          size="xs"
          variant="outline"
          color="red"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => setDeleting(true)}
        >
          {t("documents.delete")}
        </Button>
        <Button size="xs" variant="subtle" leftSection={<IconX size={16} aria-hidden />} onClick={onClear}>
          {t("documents.clear")}
        </Button>
      </Group>
      <DeleteDocuments documents={documents} opened={deleting} onClose={() => setDeleting(false)} onDeleted={onClear} />
    </Group>
  );
}
