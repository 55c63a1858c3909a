import { Alert, Button } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useLanguage } from "../messages/language";
import { useErrorText } from "./errorText";

type Props = { error: unknown; onRetry?: () => void };

/** What went wrong in the server's own words, and a way to try again. */
export function ErrorState({ error, onRetry }: Props) {
  const { t } = useLanguage();
  const words = useErrorText();
  return (
    <Alert color="red" title={t("state.errorTitle")} icon={<IconAlertTriangle aria-hidden />} role="alert">
      {words(error)}
      {onRetry && (
        <div style={{ marginTop: "var(--mantine-spacing-sm)" }}>
          <Button size="xs" variant="default" onClick={onRetry}>
            {t("state.retry")}
          </Button>
        </div>
      )}
    </Alert>
  );
}
