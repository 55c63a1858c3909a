import { Button } from "@mantine/core";
import { IconChecks, IconListCheck, IconMoodSmile, IconUpload } from "@tabler/icons-react";
import { Link } from "react-router";
import { EmptyState } from "../../components/EmptyState";
import { useLanguage } from "../../messages/language";
import { type Counts, countOf, TABS, type Tab } from "./tabs";

const PICTURES = { running: IconListCheck, waiting: IconChecks, failed: IconMoodSmile, done: IconListCheck };

/** An empty tab: nothing of this kind, or nothing at all, which only adding documents changes. */
export function NoOperations({ tab, counts, filtered }: { tab: Tab; counts: Counts; filtered: boolean }) {
  const { t } = useLanguage();
  const nothingAtAll = !filtered && TABS.every((name) => countOf(name, counts) === 0);
  if (nothingAtAll) {
    return (
      <EmptyState
        icon={IconUpload}
        title={t("operations.empty")}
        hint={t("operations.emptyHint")}
        action={
          <Button component={Link} to="/knowledge">
            {t("operations.addDocuments")}
          </Button>
        }
      />
    );
  }
  return <EmptyState icon={PICTURES[tab]} title={t(`operations.none.${tab}`)} hint={t(`operations.noneHint.${tab}`)} />;
}
