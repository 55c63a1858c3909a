import { Anchor, VisuallyHidden } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import { Link } from "react-router";
import { useLanguage } from "../../messages/language";

/** A link that, once a key is shown, opens beside this page: the key would be gone with it. */
export function AwayLink({ to, beside, children }: { to: string; beside: boolean; children: string }) {
  const { t } = useLanguage();
  return (
    <Anchor component={Link} to={to} inherit underline="always" target={beside ? "_blank" : undefined}>
      {children}
      {beside && (
        <>
          <IconExternalLink size={14} stroke={1.5} aria-hidden style={{ marginInlineStart: 4, verticalAlign: -1 }} />
          <VisuallyHidden> {t("connect.beside")}</VisuallyHidden>
        </>
      )}
    </Anchor>
  );
}
