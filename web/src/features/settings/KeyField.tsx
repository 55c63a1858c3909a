import { Checkbox, PasswordInput, Stack } from "@mantine/core";
import { useLanguage } from "../../messages/language";

type Props = { hint: string | null; value: string | null; onChange: (key: string | null) => void };

/** A model's API key: null keeps the one there is, an empty one takes it away. */
export function KeyField({ hint, value, onChange }: Props) {
  const { t } = useLanguage();
  const removing = hint !== null && value === "";
  return (
    <Stack gap={6}>
      <PasswordInput
        label={t("models.key")}
        description={hint ? t("models.keyKept", { hint }) : t("models.keyHint")}
        autoComplete="off"
        disabled={removing}
        value={value ?? ""}
        onChange={(event) => onChange(event.currentTarget.value || null)}
      />
      {hint !== null && (
        <Checkbox
          label={t("models.keyRemove")}
          checked={removing}
          onChange={(event) => onChange(event.currentTarget.checked ? "" : null)}
        />
      )}
    </Stack>
  );
}
