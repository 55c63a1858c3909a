import { Button } from "@mantine/core";
import { IconMapQuestion } from "@tabler/icons-react";
import { useEffect } from "react";
import { Link } from "react-router";
import { EmptyState } from "../components/EmptyState";
import { useLanguage } from "../messages/language";

export function NotFound() {
  const { t } = useLanguage();
  const title = t("state.notFoundTitle");
  useEffect(() => {
    document.title = `${title} · Pinakes`;
  }, [title]);
  return (
    <EmptyState
      icon={IconMapQuestion}
      title={title}
      hint={t("state.notFound")}
      action={
        <Button component={Link} to="/knowledge">
          {t("state.home")}
        </Button>
      }
    />
  );
}
