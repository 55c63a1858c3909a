/** The fields of a knowledge base, the same where one is made and where it is changed. */
import { Group, Input, NumberInput, SegmentedControl, Select, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useLanguage } from "../../messages/language";
import { BUILT_IN, KEYWORDS_ONLY, useEmbedders } from "./queries";

const LONGEST_NAME = 200;
const LONGEST_DESCRIPTION = 2_000;
const FIRST_DAYS = 30;
const MOST_DAYS = 36_500;

export type About = { name: string; description: string; lifecycleDays: number };
type AboutProps = { about: About; onChange: (about: About) => void; disabled?: boolean; focus?: boolean };

export function AboutFields({ about, onChange, disabled, focus }: AboutProps) {
  const { t } = useLanguage();
  return (
    <>
      <TextInput
        label={t("knowledge.name")}
        required
        maxLength={LONGEST_NAME}
        disabled={disabled}
        data-autofocus={focus || undefined}
        value={about.name}
        onChange={(event) => onChange({ ...about, name: event.currentTarget.value })}
      />
      <Textarea
        label={t("knowledge.description")}
        description={t("knowledge.descriptionHint")}
        autosize
        minRows={2}
        maxRows={6}
        maxLength={LONGEST_DESCRIPTION}
        disabled={disabled}
        value={about.description}
        onChange={(event) => onChange({ ...about, description: event.currentTarget.value })}
      />
      <LifecycleField
        days={about.lifecycleDays}
        disabled={disabled}
        onChange={(lifecycleDays) => onChange({ ...about, lifecycleDays })}
      />
    </>
  );
}

type LifecycleProps = { days: number; onChange: (days: number) => void; disabled?: boolean };

function LifecycleField({ days, onChange, disabled }: LifecycleProps) {
  const { t } = useLanguage();
  const label = t("knowledge.lifecycle");
  return (
    <Stack gap={6}>
      <Input.Label labelElement="div">{label}</Input.Label>
      <Group gap="sm" align="flex-end">
        <SegmentedControl
          aria-label={label}
          disabled={disabled}
          value={days === 0 ? "forever" : "days"}
          onChange={(kind) => onChange(kind === "days" ? FIRST_DAYS : 0)}
          data={[
            { value: "forever", label: t("knowledge.lifecycle.forever") },
            { value: "days", label: t("knowledge.lifecycle.days") },
          ]}
        />
        {days > 0 && (
          <NumberInput
            label={t("knowledge.lifecycle.count")}
            w={230}
            min={1}
            max={MOST_DAYS}
            allowDecimal={false}
            clampBehavior="strict"
            disabled={disabled}
            value={days}
            onChange={(value) => onChange(Math.max(1, Number(value) || 1))}
          />
        )}
      </Group>
      {days > 0 && (
        <Text size="sm" c="dimmed">
          {t("knowledge.lifecycle.hint")}
        </Text>
      )}
    </Stack>
  );
}

type EmbedderProps = {
  value: string | null;
  onChange: (value: string) => void;
  label: string;
  hint?: string;
  placeholder?: string;
  /** The model there is already, which is no choice. */
  without?: string;
};

export function EmbedderSelect({ value, onChange, label, hint, placeholder, without }: EmbedderProps) {
  const { t } = useLanguage();
  const own = useEmbedders().data ?? [];
  const choices = [
    { value: BUILT_IN, label: t("knowledge.embedder.builtIn"), name: BUILT_IN },
    ...own.map(({ id, name, model }) => ({ value: id, name, label: name === model ? name : `${name} (${model})` })),
    { value: KEYWORDS_ONLY, label: t("knowledge.embedder.none"), name: KEYWORDS_ONLY },
  ];
  return (
    <Select
      label={label}
      description={hint}
      placeholder={placeholder}
      allowDeselect={false}
      value={value}
      onChange={(chosen) => chosen && onChange(chosen)}
      data={choices.filter(({ name }) => name !== without).map(({ value, label }) => ({ value, label }))}
    />
  );
}

/** A model by the name people know it by; `name` is what the API calls it. */
export function useModelName(): (name: string) => string {
  const { t } = useLanguage();
  return (name) => {
    if (name === KEYWORDS_ONLY) return t("knowledge.embedder.none");
    return name.startsWith(`${BUILT_IN}:`) ? t("knowledge.embedder.builtIn") : name;
  };
}
