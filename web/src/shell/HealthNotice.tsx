import { Alert, Button, Code, Text } from "@mantine/core";
import { IconAbc, IconAlertTriangle, IconPlugConnectedX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, api, data } from "../api/client";
import { useConnected } from "../api/events";
import { useLanguage } from "../messages/language";

const LOOK_EVERY = 60_000;
/** As readiness says it where the built-in embedding model is missing. */
const KEYWORDS_ONLY = "keywords only";

/** Says quietly what is wrong with the server, and nothing while all is well. The worst comes first. */
export function HealthNotice() {
  const { t } = useLanguage();
  const connected = useConnected();
  const [hidden, setHidden] = useState(false);
  const ready = useQuery({
    queryKey: ["ready"],
    queryFn: () => data(api.GET("/readyz")),
    enabled: connected,
    refetchInterval: LOOK_EVERY,
    staleTime: LOOK_EVERY,
    retry: false,
  });
  if (!connected) {
    return (
      <Alert mb="lg" color="gray" role="status" icon={<IconPlugConnectedX aria-hidden />}>
        <Text>{t("health.lost")}</Text>
      </Alert>
    );
  }
  if (ready.error instanceof ApiError && ready.error.message) {
    return (
      <Alert mb="lg" color="red" role="status" title={t("health.notReady")} icon={<IconAlertTriangle aria-hidden />}>
        <Text mb="sm">{ready.error.message}</Text>
        <Button size="xs" variant="default" loading={ready.isFetching} onClick={() => ready.refetch()}>
          {t("state.retry")}
        </Button>
      </Alert>
    );
  }
  if (ready.data?.checks.embedder === KEYWORDS_ONLY && !hidden) {
    return (
      <Alert
        mb="lg"
        color="gray"
        role="status"
        title={t("health.keywordsOnly")}
        icon={<IconAbc aria-hidden />}
        withCloseButton
        closeButtonLabel={t("health.hide")}
        onClose={() => setHidden(true)}
      >
        <Text mb={6}>{t("health.keywordsOnlyHint")}</Text>
        <Code block>pinakes model install</Code>
      </Alert>
    );
  }
  return null;
}
