import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useLanguage } from "../messages/language";
import { ErrorState } from "./ErrorState";

type Props = {
  opened: boolean;
  onClose: () => void;
  /** A question that names what it is about. */
  title: string;
  /** What is lost, and whether it can be had back. */
  loss: string;
  /** The verb of the act, never "OK". */
  verb: string;
  onConfirm: () => Promise<unknown>;
};

/** Asks before anything is lost. The safe way out has the focus. */
export function ConfirmDialog({ opened, onClose, title, loss, verb, onConfirm }: Props) {
  const { t } = useLanguage();
  const act = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const close = () => {
    act.reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} closeButtonProps={{ "aria-label": t("action.close") }}>
      <Stack>
        <Text>{loss}</Text>
        {act.error && <ErrorState error={act.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            {t("action.cancel")}
          </Button>
          <Button color="red" loading={act.isPending} onClick={() => act.mutate()}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
