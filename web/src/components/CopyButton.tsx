import { Button } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useState } from "react";
import { useLanguage } from "../messages/language";
import { useNotify } from "./notify";

/** Copies a text and says that it did. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useLanguage();
  const { say } = useNotify();
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 2_000);
    } catch {
      // Browsers give no clipboard to pages that came over plain HTTP from another machine.
      say(t("action.copyFailed"));
    }
  };
  return (
    <Button
      variant="default"
      onClick={copy}
      leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
    >
      <span aria-live="polite">{copied ? t("action.copied") : (label ?? t("action.copy"))}</span>
    </Button>
  );
}
