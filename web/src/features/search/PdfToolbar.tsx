import { ActionIcon, Button, Group, Text, TextInput } from "@mantine/core";
import { IconArrowAutofitWidth, IconChevronDown, IconChevronUp, IconMinus, IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useLanguage } from "../../messages/language";

type Props = {
  page: number;
  total: number;
  onPage: (page: number) => void;
  /** Null while the width is fitted. */
  zoom: number | null;
  shown: number;
  onZoom: (zoom: number | null) => void;
};

const STEPS = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];

/** Turning pages and looking closer. */
export function PdfToolbar({ page, total, onPage, zoom, shown, onZoom }: Props) {
  const { t } = useLanguage();
  const larger = STEPS.find((step) => step > shown + 0.01);
  const smaller = STEPS.findLast((step) => step < shown - 0.01);
  return (
    <Group className="viewer-tools" justify="space-between" gap="xs">
      <Group gap={4} wrap="nowrap">
        <Tool
          label={t("viewer.previousPage")}
          icon={IconChevronUp}
          disabled={page <= 1}
          onClick={() => onPage(page - 1)}
        />
        <Tool
          label={t("viewer.nextPage")}
          icon={IconChevronDown}
          disabled={page >= total}
          onClick={() => onPage(page + 1)}
        />
        <PageField page={page} total={total} onPage={onPage} />
        <Text size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
          {t("viewer.ofPages", { total: String(total) })}
        </Text>
      </Group>
      <Group gap={4} wrap="nowrap">
        <Tool
          label={t("viewer.zoomOut")}
          icon={IconMinus}
          disabled={smaller === undefined}
          onClick={() => onZoom(smaller ?? null)}
        />
        <Text size="sm" c="dimmed" w={48} ta="center" visibleFrom="xs">
          {t("viewer.zoom", { percent: String(Math.round(shown * 100)) })}
        </Text>
        <Tool
          label={t("viewer.zoomIn")}
          icon={IconPlus}
          disabled={larger === undefined}
          onClick={() => onZoom(larger ?? null)}
        />
        <Button
          variant={zoom === null ? "light" : "subtle"}
          size="compact-md"
          px={8}
          aria-label={t("viewer.fitWidth")}
          title={t("viewer.fitWidth")}
          aria-pressed={zoom === null}
          onClick={() => onZoom(null)}
        >
          <IconArrowAutofitWidth size={18} stroke={1.5} aria-hidden />
        </Button>
      </Group>
    </Group>
  );
}

type ToolProps = { label: string; icon: typeof IconPlus; disabled: boolean; onClick: () => void };

function Tool({ label, icon: Picture, disabled, onClick }: ToolProps) {
  return (
    <ActionIcon variant="subtle" size="lg" aria-label={label} title={label} disabled={disabled} onClick={onClick}>
      <Picture size={18} stroke={1.5} aria-hidden />
    </ActionIcon>
  );
}

/** Shows where one is, and takes where one wants to be. */
function PageField({ page, total, onPage }: Pick<Props, "page" | "total" | "onPage">) {
  const { t } = useLanguage();
  const [typed, setTyped] = useState<string | null>(null);
  const go = () => {
    const wanted = Number.parseInt(typed ?? "", 10);
    setTyped(null);
    if (wanted >= 1 && wanted !== page) onPage(Math.min(wanted, total));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        go();
      }}
    >
      <TextInput
        w={64}
        size="sm"
        inputMode="numeric"
        aria-label={t("viewer.page")}
        value={typed ?? String(page)}
        onChange={(event) => setTyped(event.currentTarget.value.replace(/\D/g, ""))}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={go}
        styles={{ input: { textAlign: "center" } }}
      />
    </form>
  );
}
