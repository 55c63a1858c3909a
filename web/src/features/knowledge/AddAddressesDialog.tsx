import { Button, Group, Modal, Stack, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useLanguage } from "../../messages/language";
import { readAddresses } from "./chosenFiles";
import { addAddresses } from "./uploads";

/** Web addresses, one a line; each is fetched by the server and followed like a file. */
export function AddAddressesDialog({ kbId, onClose }: { kbId: string; onClose: () => void }) {
  const { t } = useLanguage();
  const [text, setText] = useState("");
  const [tried, setTried] = useState(false);
  const { addresses, bad } = readAddresses(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (bad !== null || addresses.length === 0) return;
    addAddresses(kbId, addresses);
    onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("uploads.urlsTitle")}
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      <form onSubmit={submit}>
        <Stack>
          <Textarea
            label={t("uploads.urls")}
            description={t("uploads.urlsHint")}
            placeholder="https://"
            required
            autosize
            minRows={4}
            maxRows={12}
            data-autofocus
            value={text}
            error={tried && bad !== null && t("uploads.urlsBad", { text: bad })}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit">{t("uploads.urlsAdd", { count: Math.max(1, addresses.length) })}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
