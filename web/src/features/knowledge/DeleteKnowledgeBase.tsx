import { useNavigate } from "react-router";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { formatNumber } from "../../components/formats";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";
import { type KnowledgeBase, useDeleteKnowledgeBase } from "./queries";

type Props = { kb: KnowledgeBase; opened: boolean; onClose: () => void };

/** Asks, says how much is lost, and leads back to the list. */
export function DeleteKnowledgeBase({ kb, opened, onClose }: Props) {
  const { t, language } = useLanguage();
  const { say } = useNotify();
  const navigate = useNavigate();
  const remove = useDeleteKnowledgeBase();
  const { documentCount, chunkCount } = kb.stats;
  const loss =
    documentCount === 0
      ? t("knowledge.deleteEmptyLoss")
      : t("knowledge.deleteLoss", { count: documentCount, chunks: formatNumber(chunkCount, language) });
  const confirm = async () => {
    await remove.mutateAsync(kb.id);
    say(t("knowledge.deleted", { name: kb.name }));
    await navigate("/knowledge");
  };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t("knowledge.deleteTitle", { name: kb.name })}
      loss={loss}
      verb={t("knowledge.delete")}
      onConfirm={confirm}
    />
  );
}
