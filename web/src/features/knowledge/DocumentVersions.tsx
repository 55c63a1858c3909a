import { Badge, Group, Stack, Text } from "@mantine/core";
import { Bytes } from "../../components/Numbers";
import { QueryState } from "../../components/QueryState";
import { TimeAgo } from "../../components/TimeAgo";
import { useLanguage } from "../../messages/language";
import { DocumentStatusText } from "../../components/DocumentStatusText";
import { useVersions } from "./documentQueries";

/** The versions a document still holds: the latest, and the one that answers until that does. */
export function DocumentVersions({ documentId }: { documentId: string }) {
  const { t } = useLanguage();
  const versions = useVersions(documentId);
  return (
    <QueryState query={versions} rows={1}>
      {(list) => (
        <Stack gap="sm">
          <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: "none" }}>
            {list.map((version) => (
              <li key={version.number}>
                <Group gap="xs">
                  <Text fw={500}>{t("documents.version", { number: version.number })}</Text>
                  {version.answers && (
                    <Badge variant="light" size="lg" tt="none" fw={500}>
                      {t("documents.version.answers")}
                    </Badge>
                  )}
                </Group>
                <Text size="sm" c="dimmed" component="div">
                  <DocumentStatusText document={{ status: version.status, progress: 0 }} /> ·{" "}
                  <Bytes value={version.sizeBytes} /> · <TimeAgo time={version.createdAt} />
                </Text>
              </li>
            ))}
          </Stack>
          <Text size="sm" c="dimmed">
            {t("documents.versions.hint")}
          </Text>
        </Stack>
      )}
    </QueryState>
  );
}
