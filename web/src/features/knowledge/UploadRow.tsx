import { ActionIcon, Anchor, Button, Group, Progress, Text } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { Link } from "react-router";
import { useErrorText } from "../../components/errorText";
import { useLanguage } from "../../messages/language";
import { isUnsent, type Upload } from "./upload";
import { canRetry, withoutFormats } from "./uploadReasons";
import { uploads } from "./uploads";

/** One file or address on its way: how far it is, what went wrong, and what can be done about it. */
export function UploadRow({ upload }: { upload: Upload }) {
  const { t } = useLanguage();
  const { id, name, state, progress, documentId, content } = upload;
  const words = useWords(upload);
  const moving = state === "indexing" || (state === "sending" && content && "file" in content);
  return (
    <Group gap="xs" wrap="nowrap" px="md" py={8} align="flex-start">
      <div style={{ flex: 1, minWidth: 0 }}>
        {documentId ? (
          <Anchor component={Link} to={`/documents/${documentId}`} size="sm" display="block" truncate title={name}>
            {name}
          </Anchor>
        ) : (
          <Text size="sm" truncate title={name}>
            {name}
          </Text>
        )}
        <Text
          size="xs"
          c={state === "failed" ? "var(--mantine-color-error)" : "dimmed"}
          style={{ overflowWrap: "anywhere" }}
        >
          {words}
        </Text>
        {moving && <Progress size="xs" mt={4} value={progress} aria-label={`${name}: ${words}`} />}
      </div>
      {isUnsent(upload) && (
        <ActionIcon
          variant="subtle"
          color="gray"
          c="inherit"
          aria-label={t("uploads.cancel", { name })}
          onClick={() => uploads.cancel(id)}
        >
          <IconX size={16} aria-hidden />
        </ActionIcon>
      )}
      {state === "duplicate" && content && (
        <Button size="compact-xs" variant="default" onClick={() => uploads.replace(id)}>
          {t("uploads.replace")}
        </Button>
      )}
      {canRetry(upload) && (
        <Button size="compact-xs" variant="default" onClick={() => uploads.retry(id)}>
          {t("uploads.retry")}
        </Button>
      )}
      {state === "unpacked" && upload.clashing > 0 && (
        <Button size="compact-xs" variant="default" onClick={() => uploads.replace(id)}>
          {t("uploads.replace")}
        </Button>
      )}
    </Group>
  );
}

function useWords({ state, progress, content, error, taken, refused }: Upload): string {
  const { t } = useLanguage();
  const errorText = useErrorText();
  switch (state) {
    case "failed":
      // Reasons end with what to do, so they are shown whole; the formats are listed once for all.
      return withoutFormats(errorText(error));
    case "sending":
      return content && "url" in content ? t("uploads.state.fetching") : t("uploads.state.sending", { progress });
    case "indexing":
      return t("uploads.state.indexing", { progress });
    case "unpacked":
      return t("uploads.state.unpacked", { count: taken, refused });
    default:
      return t(`uploads.state.${state}`);
  }
}
