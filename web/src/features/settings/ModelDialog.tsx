import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { type FormEvent, type ReactNode, useEffect, useRef } from "react";
import { ErrorState } from "../../components/ErrorState";
import { useLanguage } from "../../messages/language";

type Props = {
  title: string;
  saving: boolean;
  error: unknown;
  isNew: boolean;
  onSave: () => void;
  onClose: () => void;
  children: ReactNode;
};

/** The frame of a model's form; saving may take a while, for the model is called. */
export function ModelDialog({ title, saving, error, isNew, onSave, onClose, children }: Props) {
  const { t } = useLanguage();
  const trouble = useRef<HTMLDivElement>(null);
  // In a low window it would come up below the edge, and pressing the button would seem to do nothing.
  useEffect(() => {
    if (error) trouble.current?.scrollIntoView({ block: "nearest" });
  }, [error]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": t("action.close") }}>
      <form onSubmit={submit}>
        <Stack>
          {children}
          <Text size="sm" c="dimmed">
            {t("models.check")}
          </Text>
          {error ? (
            <div ref={trouble}>
              <ErrorState error={error} />
            </div>
          ) : null}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" loading={saving}>
              {isNew ? t("models.add") : t("action.save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
