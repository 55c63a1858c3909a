import { Button } from "@mantine/core";
import { IconNoteOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { ApiError } from "../../api/client";
import { EmptyState } from "../../components/EmptyState";
import { useLanguage } from "../../messages/language";
import { NOTES } from "./places";

/** A note that is not there any more, or never was; every other state is the fallback's. */
export function NoteGone({ error, fallback }: { error: unknown; fallback: ReactNode }) {
  const { t } = useLanguage();
  if (!(error instanceof ApiError && error.status === 404)) return fallback;
  return (
    <div className="sheet">
      <EmptyState
        icon={IconNoteOff}
        title={t("notes.gone")}
        hint={t("notes.goneHint")}
        action={
          <Button component={Link} to={NOTES} variant="default">
            {t("notes.all")}
          </Button>
        }
      />
    </div>
  );
}
