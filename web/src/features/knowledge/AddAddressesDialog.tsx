import { Textarea } from "@mantine/core";
import { useState } from "react";
import { FormDialog } from "../../components/FormDialog";
import { useLanguage } from "../../messages/language";
import { readAddresses } from "./chosenFiles";
import { addAddresses } from "./uploads";

/** Web addresses, one a line; each is fetched by the server and followed like a file. */
export function AddAddressesDialog({ kbId, onClose }: { kbId: string; onClose: () => void }) {
  const { t } = useLanguage();
  const [text, setText] = useState("");
  const [tried, setTried] = useState(false);
  const { addresses, bad } = readAddresses(text);
  const submit = () => {
    setTried(true);
    if (bad !== null || addresses.length === 0) return;
    addAddresses(kbId, addresses);
    onClose();
  };
  return (
    <FormDialog
      onClose={onClose}
      title={t("uploads.urlsTitle")}
      verb={t("uploads.urlsAdd", { count: Math.max(1, addresses.length) })}
      onSubmit={submit}
    >
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
    </FormDialog>
  );
}
