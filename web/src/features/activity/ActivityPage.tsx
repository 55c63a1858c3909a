import { Button, Group, Text } from "@mantine/core";
import { IconActivity, IconFilterOff, IconPlayerPause, IconPlayerPlay, IconPlugConnected } from "@tabler/icons-react";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { EmptyState } from "../../components/EmptyState";
import { PageHeader } from "../../components/PageHeader";
import { QueryState } from "../../components/QueryState";
import { useLanguage } from "../../messages/language";
import "./activity.css";
import { asResult, type Calls, type Filter } from "./calls";
import { CallTable } from "./CallTable";
import { Filters } from "./Filters";
import { useCalls, useLiveCalls } from "./queries";

export function ActivityPage() {
  const { t } = useLanguage();
  // The address holds what is shown, so that it can be sent to somebody and Back works.
  const [parameters, setParameters] = useSearchParams();
  const before = parameters.get("before");
  const filter: Filter = {
    tool: parameters.get("tool") ?? undefined,
    agent: parameters.get("agent") ?? undefined,
    result: asResult(parameters.get("result")),
  };
  const [paused, setPaused] = useState(false);
  const calls = useCalls(filter, before);
  const hears = useLiveCalls(filter, !paused && !before);
  const show = (changes: Filter & { before?: string }) => {
    const wanted = { ...filter, before: undefined, ...changes };
    setParameters(Object.fromEntries(Object.entries(wanted).filter(([, value]) => value)) as Record<string, string>);
  };
  return (
    <>
      <PageHeader
        title={t("activity.title")}
        description={t("activity.intro")}
        actions={!before && <Live paused={paused} hears={hears} onPause={setPaused} />}
      />
      <Filters filter={filter} onChange={show} />
      <QueryState query={calls} rows={8}>
        {(page) =>
          page.items.length === 0 ? (
            <NoCalls
              filtered={Object.values(filter).some(Boolean)}
              older={!!before}
              onClear={() => setParameters({})}
            />
          ) : (
            <div className={calls.isPlaceholderData ? "earlier" : undefined}>
              {before && (
                <Text c="dimmed" mb="sm">
                  {t("activity.olderShown")}
                </Text>
              )}
              <CallTable calls={page.items} onFilter={show} />
              <Pages page={page} before={before} onPage={(id) => show({ before: id })} />
            </div>
          )
        }
      </QueryState>
    </>
  );
}

/** Whether new calls show up by themselves, and a way to read in peace. */
function Live({ paused, hears, onPause }: { paused: boolean; hears: boolean; onPause: (paused: boolean) => void }) {
  const { t } = useLanguage();
  const Picture = paused ? IconPlayerPlay : IconPlayerPause;
  return (
    <>
      <Group gap={8} wrap="nowrap" role="status">
        <span
          aria-hidden
          style={{
            width: 10,
            height: 10,
            borderRadius: "50%",
            border: "2px solid var(--mantine-primary-color-filled)",
            background: hears ? "var(--mantine-primary-color-filled)" : "transparent",
          }}
        />
        {paused ? t("activity.paused") : hears ? t("activity.live") : t("activity.notLive")}
      </Group>
      <Button
        variant="default"
        leftSection={<Picture size={18} stroke={1.5} aria-hidden />}
        onClick={() => onPause(!paused)}
      >
        {paused ? t("activity.resume") : t("activity.pause")}
      </Button>
    </>
  );
}

function Pages({ page, before, onPage }: { page: Calls; before: string | null; onPage: (id?: string) => void }) {
  const { t } = useLanguage();
  if (!before && !page.next) return null;
  return (
    <Group component="nav" justify="center" mt="md" aria-label={t("activity.pages")}>
      <Button variant="default" disabled={!before} onClick={() => onPage()}>
        {t("activity.newest")}
      </Button>
      <Button variant="default" disabled={!page.next} onClick={() => page.next && onPage(page.next)}>
        {t("activity.older")}
      </Button>
    </Group>
  );
}

/** Nothing at all, which only an agent changes; or nothing of what is looked for. */
function NoCalls({ filtered, older, onClear }: { filtered: boolean; older: boolean; onClear: () => void }) {
  const { t } = useLanguage();
  if (filtered || older) {
    return (
      <EmptyState
        icon={IconFilterOff}
        title={filtered ? t("activity.noneFound") : t("activity.noneOlder")}
        hint={filtered ? t("activity.noneFoundHint") : undefined}
        action={<Button onClick={onClear}>{t("activity.clear")}</Button>}
      />
    );
  }
  return (
    <EmptyState
      icon={IconActivity}
      title={t("activity.empty")}
      hint={t("activity.emptyHint")}
      action={
        <Button component={Link} to="/connect" leftSection={<IconPlugConnected size={18} stroke={1.5} aria-hidden />}>
          {t("activity.connect")}
        </Button>
      }
    />
  );
}
