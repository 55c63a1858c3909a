import { NavLink as MantineNavLink } from "@mantine/core";
import {
  type Icon,
  IconActivity,
  IconBooks,
  IconListCheck,
  IconNotes,
  IconPlugConnected,
  IconSearch,
  IconSettings,
  IconTool,
} from "@tabler/icons-react";
import { NavLink, useLocation } from "react-router";
import type { MessageKey } from "../messages/catalogue";
import { useLanguage } from "../messages/language";
import { OperationBadge } from "./OperationBadge";

type Plain = Extract<MessageKey, `nav.${string}`>;
const SECTIONS: { to: string; name: Plain; icon: Icon }[] = [
  { to: "/knowledge", name: "nav.knowledge", icon: IconBooks },
  { to: "/notes", name: "nav.notes", icon: IconNotes },
  { to: "/search", name: "nav.search", icon: IconSearch },
  { to: "/tools", name: "nav.tools", icon: IconTool },
  { to: "/connect", name: "nav.connect", icon: IconPlugConnected },
  { to: "/activity", name: "nav.activity", icon: IconActivity },
  { to: "/operations", name: "nav.operations", icon: IconListCheck },
  { to: "/settings", name: "nav.settings", icon: IconSettings },
];

/** A document belongs to what is known, though its address says nothing of the knowledge base. */
function isWithin(pathname: string, section: string): boolean {
  const place = pathname.startsWith("/documents/") ? "/knowledge" : pathname;
  return place === section || place.startsWith(`${section}/`);
}

/** The sections of the page; in the bar at the side, or in the drawer of a small screen. */
export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const { t } = useLanguage();
  const { pathname } = useLocation();
  return (
    <nav aria-label={t("nav.label")}>
      {SECTIONS.map(({ to, name, icon: Picture }) => (
        <MantineNavLink
          key={to}
          component={NavLink}
          to={to}
          rightSection={to === "/operations" ? <OperationBadge /> : undefined}
          label={t(name)}
          leftSection={<Picture size={20} stroke={1.5} aria-hidden />}
          active={isWithin(pathname, to)}
          onClick={onNavigate}
          py="sm"
          style={{ borderRadius: "var(--mantine-radius-md)" }}
        />
      ))}
    </nav>
  );
}
