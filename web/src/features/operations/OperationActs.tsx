import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";
import { type Operation, useCancelOperation, useRetryOperation } from "./queries";

/** What can be done about an operation; nothing at all about one that ended well, or for good. */
export function OperationActs({ operation }: { operation: Operation }) {
  if (operation.status === "running" || operation.status === "pending") return <Cancel operation={operation} />;
  return operation.retryable ? <Retry operation={operation} /> : null;
}

function aboutOf(operation: Operation): string {
  return operation.documentName ?? operation.knowledgeBaseName;
}

function Retry({ operation }: { operation: Operation }) {
  const { t } = useLanguage();
  const { say, sayError } = useNotify();
  const retry = useRetryOperation();
  const name = aboutOf(operation);
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={retry.isPending}
      aria-label={t("operations.retryNamed", { name })}
      // Not a callback of `mutate`: this row is gone from its tab before it would be called.
      onClick={() => retry.mutateAsync(operation.id).then(() => say(t("operations.retriedOne", { name })), sayError)}
    >
      {t("operations.retry")}
    </Button>
  );
}

/** Indexing can be taken up again, so it just stops; what a switch has built so far is lost, so that asks. */
function Cancel({ operation }: { operation: Operation }) {
  const { t } = useLanguage();
  const { say, sayError } = useNotify();
  const cancel = useCancelOperation();
  const [asking, dialog] = useDisclosure();
  const name = aboutOf(operation);
  const isSwitch = operation.kind === "switch";
  const stop = () => cancel.mutateAsync(operation.id).then(() => say(t("operations.cancelled", { name })), sayError);
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        c="var(--mantine-color-text)"
        size="compact-sm"
        loading={cancel.isPending}
        aria-label={t("operations.cancelNamed", { name })}
        onClick={isSwitch ? dialog.open : stop}
      >
        {t("action.cancel")}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={dialog.close}
        title={t("operations.cancelSwitchTitle", { name })}
        loss={t("operations.cancelSwitchLoss")}
        verb={t("operations.cancelSwitch")}
        onConfirm={() => cancel.mutateAsync(operation.id)}
      />
    </>
  );
}
