import {
  Autocomplete,
  Checkbox,
  FileInput,
  JsonInput,
  NumberInput,
  Select,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { IconFile } from "@tabler/icons-react";
import { useState } from "react";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";
import type { Field } from "./fields";
import { toBase64 } from "./files";
import { useCatalogNames } from "./queries";

type Props = {
  field: Field;
  value: unknown;
  error: boolean;
  onChange: (value: unknown) => void;
  /** A chosen file knows its own name. */
  onFileName: (name: string) => void;
};

/** One argument, as its schema wants it. */
export function ArgumentField({ field, value, error, onChange, onFileName }: Props) {
  const { t } = useLanguage();
  const text = typeof value === "string" ? value : "";
  const shared = {
    label: (
      <Text span ff="monospace" size="sm" fw={600}>
        {field.name}
      </Text>
    ),
    description: <Description field={field} />,
    required: field.required,
    maxLength: field.maxLength,
  };
  switch (field.kind) {
    case "boolean":
      return (
        <Checkbox
          label={shared.label}
          description={shared.description}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case "number":
      return (
        <NumberInput
          {...shared}
          allowDecimal={!field.whole}
          min={field.min}
          max={field.max}
          value={(value as number | undefined) ?? ""}
          onChange={(given) => onChange(given)}
          hideControls
        />
      );
    case "choice":
      return (
        <Select {...shared} data={field.choices} clearable={!field.required} value={text || null} onChange={onChange} />
      );
    case "list":
      return <TagsInput {...shared} value={(value as string[] | undefined) ?? []} onChange={onChange} />;
    case "json":
      return (
        <JsonInput
          {...shared}
          autosize
          minRows={3}
          maxRows={12}
          errorProps={{ fz: "sm" }}
          validationError={t("tools.badJson")}
          error={error && t("tools.badJson")}
          value={text}
          onChange={onChange}
        />
      );
    case "longText":
      return (
        <Textarea
          {...shared}
          autosize
          minRows={4}
          maxRows={16}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case "catalog":
      return <CatalogInput shared={shared} value={text} onChange={onChange} />;
    case "file":
      return <Base64Input shared={shared} value={text} onChange={onChange} onFileName={onFileName} />;
    default:
      return <TextInput {...shared} value={text} onChange={(event) => onChange(event.currentTarget.value)} />;
  }
}

type Shared = { label: React.ReactNode; description: React.ReactNode; required: boolean; maxLength?: number };
type InputProps = { shared: Shared; value: string; onChange: (value: unknown) => void };

function CatalogInput({ shared, value, onChange }: InputProps) {
  const names = useCatalogNames(true).data ?? [];
  return <Autocomplete {...shared} data={names} limit={20} value={value} onChange={onChange} />;
}

function Base64Input({ shared, value, onChange, onFileName }: InputProps & Pick<Props, "onFileName">) {
  const { t } = useLanguage();
  const { say } = useNotify();
  const [file, setFile] = useState<File | null>(null);
  const choose = async (chosen: File | null) => {
    setFile(chosen);
    if (!chosen) return onChange(undefined);
    try {
      onChange(await toBase64(chosen));
      onFileName(chosen.name);
    } catch {
      setFile(null);
      say(t("tools.unreadable"));
    }
  };
  return (
    <FileInput
      label={shared.label}
      description={shared.description}
      required={shared.required}
      placeholder={t("tools.chooseFile")}
      leftSection={<IconFile size={18} stroke={1.5} aria-hidden />}
      clearable
      clearButtonProps={{ "aria-label": t("tools.removeFile") }}
      // Cleared from outside, the value is gone while the file is still remembered.
      value={value ? file : null}
      onChange={choose}
    />
  );
}

function Description({ field }: { field: Field }) {
  const { t } = useLanguage();
  return (
    <Text span size="sm">
      <span lang="en">{field.description}</span>
      {field.kind === "json" && ` ${t("tools.json")}`}
      {field.kind === "list" && ` ${t("tools.onePerEntry")}`}
      {field.byDefault !== null && ` (${t("tools.byDefault", { value: field.byDefault })})`}
    </Text>
  );
}
