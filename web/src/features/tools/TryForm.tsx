import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerPlay } from "@tabler/icons-react";
import { type FormEvent, useMemo, useState } from "react";
import type { Tool } from "../../api/tools";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { useLanguage } from "../../messages/language";
import { ArgumentField } from "./ArgumentField";
import { argumentsOf, brokenJson, fieldsOf, type Values } from "./fields";

type Props = { tool: Tool; busy: boolean; onRun: (input: Record<string, unknown>) => Promise<unknown> };

/** A tool's arguments as a form; what deletes asks once more. */
export function TryForm({ tool, busy, onRun }: Props) {
  const { t } = useLanguage();
  const fields = useMemo(() => fieldsOf(tool.inputSchema), [tool.inputSchema]);
  const [values, setValues] = useState<Values>({});
  const [broken, setBroken] = useState<string[]>([]);
  const [asking, confirm] = useDisclosure();
  const set = (name: string, value: unknown) => setValues((before) => ({ ...before, [name]: value }));
  const nameFile = (name: string) =>
    setValues((before) => (fields.some((field) => field.name === "filename") ? { ...before, filename: name } : before));
  // What goes wrong is told beside the form, by whoever runs it.
  const run = () => onRun(argumentsOf(fields, values)).catch(() => undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = brokenJson(fields, values);
    setBroken(wrong);
    if (wrong.length) return;
    if (tool.annotations.destructive) confirm.open();
    else run();
  };
  return (
    <form onSubmit={submit} className="sheet" style={{ padding: "var(--mantine-spacing-md)", overflow: "visible" }}>
      <Stack>
        <Title order={2}>{t("tools.arguments")}</Title>
        {fields.length === 0 && <Text c="dimmed">{t("tools.noArguments")}</Text>}
        {fields.map((field) => (
          <ArgumentField
            key={field.name}
            field={field}
            value={values[field.name]}
            error={broken.includes(field.name)}
            onChange={(value) => set(field.name, value)}
            onFileName={nameFile}
          />
        ))}
        <Text size="sm" c="dimmed">
          {tool.mayCall ? t("tools.runAsYou") : t("tools.mayNot")}
        </Text>
        <Group justify="flex-end">
          {Object.keys(values).length > 0 && (
            <Button variant="default" onClick={() => setValues({})}>
              {t("tools.clear")}
            </Button>
          )}
          <Button
            type="submit"
            loading={busy}
            disabled={!tool.mayCall}
            leftSection={<IconPlayerPlay size={18} stroke={1.5} aria-hidden />}
          >
            {t("tools.run")}
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={asking}
        onClose={confirm.close}
        title={t("tools.deleteTitle", { name: tool.title })}
        loss={t("tools.deleteLoss")}
        verb={t("tools.run")}
        onConfirm={run}
      />
    </form>
  );
}
