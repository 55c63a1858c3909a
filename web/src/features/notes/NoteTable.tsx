import { Anchor, Group, Table, Text, UnstyledButton } from "@mantine/core";
import { Link } from "react-router";
import { DocumentStatusText } from "../../components/DocumentStatusText";
import { TableSheet } from "../../components/TableSheet";
import { TimeAgo } from "../../components/TimeAgo";
import { useLanguage } from "../../messages/language";
import { tagText } from "./drafts";
import { noteAt } from "./places";
import { type Note, useResources } from "./queries";
import "./notes.css";

/** The notes of one page; a tag that is pressed becomes the filter. */
export function NoteTable({ notes, onTag }: { notes: Note[]; onTag: (tag: string) => void }) {
  const { t } = useLanguage();
  return (
    <TableSheet label={t("notes.title")}>
      <Table.Thead className="note-table">
        <Table.Tr>
          <Table.Th>{t("notes.noteTitle")}</Table.Th>
          <Table.Th visibleFrom="sm">{t("notes.resource")}</Table.Th>
          <Table.Th visibleFrom="md">{t("notes.author")}</Table.Th>
          <Table.Th visibleFrom="sm">{t("notes.changed")}</Table.Th>
          <Table.Th visibleFrom="sm">{t("notes.state")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {notes.map((note) => (
          <NoteRow key={note.id} note={note} onTag={onTag} />
        ))}
      </Table.Tbody>
    </TableSheet>
  );
}

function NoteRow({ note, onTag }: { note: Note; onTag: (tag: string) => void }) {
  const { t } = useLanguage();
  const resources = useResources().data ?? [];
  const resource = resources.find(({ slug }) => slug === note.resource)?.name ?? note.resource;
  const author = note.author ?? t("notes.authorGone");
  return (
    <Table.Tr>
      <Table.Td className="note-title">
        <Anchor component={Link} to={noteAt(note.id)} fw={500}>
          {note.title}
        </Anchor>
        {note.tags.length > 0 && (
          <Group gap={6} mt={4}>
            {note.tags.map(tagText).map((tag) => (
              <UnstyledButton
                key={tag}
                className="tag"
                aria-label={t("notes.onlyTag", { tag })}
                onClick={() => onTag(tag)}
              >
                {tag}
              </UnstyledButton>
            ))}
          </Group>
        )}
        <Text size="sm" c="dimmed" component="div" hiddenFrom="sm" mt={4}>
          {resource} · <TimeAgo time={note.updatedAt} /> · <DocumentStatusText document={note} />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">{resource}</Table.Td>
      <Table.Td visibleFrom="md">{author}</Table.Td>
      <Table.Td visibleFrom="sm">
        <TimeAgo time={note.updatedAt} />
      </Table.Td>
      <Table.Td visibleFrom="sm" style={{ whiteSpace: "nowrap" }}>
        <DocumentStatusText document={note} />
      </Table.Td>
    </Table.Tr>
  );
}
