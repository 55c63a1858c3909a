import { Alert, Button } from "@mantine/core";
import { IconUserCheck } from "@tabler/icons-react";
import { useState } from "react";
import { useLocation } from "react-router";
import type { Schemas } from "../api/client";
import { useWorkspaces } from "../features/session/queries";
import { useLanguage } from "../messages/language";
import { useEnterWorkspace } from "./enterWorkspace";

/** Says to whoever comes by an invitation what they are a member of now, and as what. */
export function JoinedNotice({ me }: { me: Schemas["MeOut"] }) {
  const { t } = useLanguage();
  const { search } = useLocation();
  // The page they are led on to has another address.
  const [joined, setJoined] = useState(() => new URLSearchParams(search).get("joined"));
  const workspaces = useWorkspaces(joined !== null && me.keyId === null).data;
  const enter = useEnterWorkspace();
  // Anybody can write such an address: only what the server knows is told, and nothing is done unasked.
  const workspace = workspaces?.find(({ id }) => id === joined);
  if (!workspace) return null;
  return (
    <Alert
      mb="lg"
      color="verdigris"
      role="status"
      title={t("workspace.joined", { name: workspace.name })}
      icon={<IconUserCheck aria-hidden />}
      withCloseButton
      closeButtonLabel={t("health.hide")}
      onClose={() => setJoined(null)}
    >
      {t(`workspace.joinedAs.${workspace.role}`)}
      {workspace.id !== me.workspaceId && (
        <div style={{ marginTop: "var(--mantine-spacing-sm)" }}>
          <Button size="xs" variant="default" onClick={() => enter(workspace.id)}>
            {t("workspace.goTo", { name: workspace.name })}
          </Button>
        </div>
      )}
    </Alert>
  );
}
