import { ConfirmDialog } from "../../components/ConfirmDialog";
import { formatNumber } from "../../components/formats";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";
import { type Document, useDeleteDocuments } from "./documentQueries";

type Props = { documents: Document[]; opened: boolean; onClose: () => void; onDeleted: () => void };

/** Asks before documents are deleted, and says how many passages go with them. */
export function DeleteDocuments({ documents, opened, onClose, onDeleted }: Props) {
  const { t, language } = useLanguage();
  const { say } = useNotify();
  const remove = useDeleteDocuments();
  const [first] = documents;
  const count = documents.length;
  const chunks = documents.reduce((sum, { chunkCount }) => sum + chunkCount, 0);
  const confirm = async () => {
    await remove.mutateAsync(documents.map(({ id }) => id));
    say(t("documents.deleted", { count }));
    onDeleted();
  };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={
        count === 1 && first
          ? t("documents.deleteOneTitle", { name: first.title || first.name })
          : t("documents.deleteManyTitle", { count })
      }
      loss={t("documents.deleteLoss", { count, chunks: formatNumber(chunks, language) })}
      verb={t("documents.delete")}
      onConfirm={confirm}
    />
  );
}
