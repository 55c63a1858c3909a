import { Anchor, Badge, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronLeft, IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { useMe } from "../../api/me";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { PageHeader } from "../../components/PageHeader";
import { QueryState } from "../../components/QueryState";
import { useLanguage } from "../../messages/language";
import { FillTemplateDialog } from "./FillTemplateDialog";
import { NewTemplateDialog } from "./NewTemplateDialog";
import { NOTES } from "./places";
import { type Template, useDeleteTemplate, useTemplates } from "./queries";

/** Templates that come with the program and the workspace's own: used, made and deleted. */
export function TemplatesPage() {
  const { t } = useLanguage();
  const templates = useTemplates();
  const remove = useDeleteTemplate();
  const writes = useMe().data?.scopes.includes("write") ?? false;
  const [making, dialog] = useDisclosure();
  const [used, setUsed] = useState<Template | null>(null);
  const [doomed, setDoomed] = useState<Template | null>(null);
  return (
    <>
      <Anchor component={Link} to={NOTES} size="sm" display="inline-flex" mb={4} style={{ alignItems: "center" }}>
        <IconChevronLeft size={16} aria-hidden />
        {t("notes.title")}
      </Anchor>
      <PageHeader
        title={t("notes.templates")}
        description={t("notes.templatesIntro")}
        actions={
          writes && (
            <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={dialog.open}>
              {t("notes.newTemplate")}
            </Button>
          )
        }
      />
      <QueryState query={templates}>
        {(list) => (
          <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: "none" }}>
            {list.map((template) => (
              <TemplateCard key={template.id} {...{ template, writes }} onUse={setUsed} onDelete={setDoomed} />
            ))}
          </Stack>
        )}
      </QueryState>
      {making && <NewTemplateDialog onClose={dialog.close} />}
      {used && <FillTemplateDialog template={used} onClose={() => setUsed(null)} />}
      <ConfirmDialog
        opened={doomed !== null}
        onClose={() => setDoomed(null)}
        title={t("notes.deleteTemplateTitle", { name: doomed?.name ?? "" })}
        loss={t("notes.deleteTemplateLoss")}
        verb={t("documents.delete")}
        onConfirm={() => remove.mutateAsync(doomed?.id ?? "")}
      />
    </>
  );
}

type CardProps = {
  template: Template;
  writes: boolean;
  onUse: (template: Template) => void;
  onDelete: (template: Template) => void;
};

function TemplateCard({ template, writes, onUse, onDelete }: CardProps) {
  const { t } = useLanguage();
  const { name, description, variables, shipped } = template;
  return (
    <Group component="li" className="sheet" p="md" gap="sm" justify="space-between">
      <Stack gap={4} flex="1 1 260px" miw={0}>
        <Group gap="xs">
          <Title order={2} size="h3">
            {name}
          </Title>
          {shipped && (
            <Badge variant="default" tt="none" fw={500}>
              {t("notes.shipped")}
            </Badge>
          )}
        </Group>
        {description && <Text>{description}</Text>}
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {variables.length > 0 ? t("notes.asksFor", { names: variables.join(", ") }) : t("notes.asksNothing")}
        </Text>
      </Stack>
      {writes && (
        <Group gap="xs">
          {!shipped && (
            <Button
              variant="subtle"
              color="red"
              aria-label={t("notes.deleteTemplate", { name })}
              onClick={() => onDelete(template)}
            >
              {t("documents.delete")}
            </Button>
          )}
          <Button variant="default" aria-label={t("notes.useTemplate", { name })} onClick={() => onUse(template)}>
            {t("notes.use")}
          </Button>
        </Group>
      )}
    </Group>
  );
}
