import { ActionIcon, Button, Menu, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDots, IconDownload, IconEye, IconPencil, IconReplace, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { FormDialog } from "../../components/FormDialog";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";
import { DeleteDocuments } from "./DeleteDocuments";
import { type Document, useDownload, useUpdateDocument } from "./documentQueries";
import { replaceDocument } from "./uploads";

/** What can be done with one document. */
export function DocumentActions({ document, writes }: { document: Document; writes: boolean }) {
  const { t } = useLanguage();
  const { sayError } = useNotify();
  const navigate = useNavigate();
  const [deleting, deleteDialog] = useDisclosure();
  const [naming, nameDialog] = useDisclosure();
  const download = useDownload();
  return (
    <>
      {document.searchable && (
        <Button
          component={Link}
          to={`/documents/${document.id}/view`}
          leftSection={<IconEye size={18} stroke={1.5} aria-hidden />}
        >
          {t("documents.open")}
        </Button>
      )}
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <ActionIcon
            variant="default"
            size={36}
            loading={download.isPending}
            aria-label={t("documents.more", { name: document.title || document.name })}
          >
            <IconDots size={20} stroke={1.5} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconDownload size={18} stroke={1.5} aria-hidden />}
            onClick={() => download.mutate(document.id, { onError: sayError })}
          >
            {t("documents.download")}
          </Menu.Item>
          {writes && (
            <>
              <Menu.Item leftSection={<IconPencil size={18} stroke={1.5} aria-hidden />} onClick={nameDialog.open}>
                {t("documents.rename")}
              </Menu.Item>
              {document.kind === "file" && (
                <Menu.Item
                  leftSection={<IconReplace size={18} stroke={1.5} aria-hidden />}
                  onClick={() => replaceDocument(document)}
                >
                  {t("documents.replace")}
                </Menu.Item>
              )}
              <Menu.Item
                c="var(--mantine-color-error)"
                leftSection={<IconTrash size={18} stroke={1.5} aria-hidden />}
                onClick={deleteDialog.open}
              >
                {t("documents.delete")}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {naming && <TitleDialog document={document} onClose={nameDialog.close} />}
      <DeleteDocuments
        documents={[document]}
        opened={deleting}
        onClose={deleteDialog.close}
        onDeleted={() => navigate(`/knowledge/${document.knowledgeBaseId}`)}
      />
    </>
  );
}

function TitleDialog({ document, onClose }: { document: Document; onClose: () => void }) {
  const { t } = useLanguage();
  const [title, setTitle] = useState(document.title ?? "");
  const update = useUpdateDocument(document.id);
  return (
    <FormDialog
      onClose={onClose}
      title={t("documents.rename")}
      verb={t("action.save")}
      saving={update.isPending}
      error={update.error}
      onSubmit={() => update.mutate({ title }, { onSuccess: onClose })}
    >
      <TextInput
        label={t("documents.editTitle")}
        description={t("documents.titleHint")}
        maxLength={200}
        data-autofocus
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
