import { Button, Group, Modal, type ModalProps, Stack } from "@mantine/core";
import { type FormEvent, type ReactNode, useEffect, useRef } from "react";
import { useLanguage } from "../messages/language";
import { ErrorState } from "./ErrorState";

type Props = {
  opened?: boolean;
  onClose: () => void;
  title: string;
  size?: ModalProps["size"];
  /** The verb of the act, never "OK". */
  verb: string;
  /** Whether there is enough to act on. */
  ready?: boolean;
  saving?: boolean;
  error?: unknown;
  onSubmit: () => void;
  children: ReactNode;
};

/** The frame of a form in a dialog: its fields, what went wrong, a way out and the act. */
export function FormDialog(props: Props) {
  const { opened = true, onClose, title, size, verb, ready = true, saving, error, onSubmit, children } = props;
  const { t } = useLanguage();
  const trouble = useRef<HTMLDivElement>(null);
  // In a low window it would come up below the edge, and pressing the button would seem to do nothing.
  useEffect(() => {
    if (error) trouble.current?.scrollIntoView({ block: "nearest" });
  }, [error]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A dialog is drawn elsewhere, but its events still rise through whatever opened it.
    event.stopPropagation();
    onSubmit();
  };
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      size={size}
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      <form onSubmit={submit}>
        <Stack>
          {children}
          {error ? (
            <div ref={trouble}>
              <ErrorState error={error} />
            </div>
          ) : null}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" loading={saving} disabled={!ready}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
