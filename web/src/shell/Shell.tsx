import { AppShell, Burger, Drawer, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import { Link, Navigate, Outlet, useLocation } from "react-router";
import { ApiError, type Schemas } from "../api/client";
import { useLiveQueries } from "../api/events";
import { useMe } from "../api/me";
import { ErrorState } from "../components/ErrorState";
import { Loading } from "../components/Loading";
import { useLanguage } from "../messages/language";
import { HealthNotice } from "./HealthNotice";
import { JoinedNotice } from "./JoinedNotice";
import { Navigation } from "./Navigation";
import { Uploads } from "./Uploads";
import { useSearchShortcut } from "./searchShortcut";
import { UserMenu } from "./UserMenu";
import { WorkspaceSwitch } from "./WorkspaceSwitch";

/** The frame of every page but the sign-in: whoever is not signed in is led there, and back afterwards. */
export function Shell() {
  const me = useMe();
  const { pathname, search } = useLocation();
  if (me.error instanceof ApiError && me.error.signedOut) {
    const next = pathname === "/" ? "" : `?next=${encodeURIComponent(pathname + search)}`;
    return <Navigate to={`/welcome${next}`} replace />;
  }
  if (me.data) return <Frame me={me.data} />;
  return (
    <div className="content" style={{ padding: "var(--mantine-spacing-lg)" }}>
      {me.error ? <ErrorState error={me.error} onRetry={() => me.refetch()} /> : <Loading />}
    </div>
  );
}

function Frame({ me }: { me: Schemas["MeOut"] }) {
  const { t } = useLanguage();
  const [opened, drawer] = useDisclosure();
  useLiveQueries(me.workspaceId);
  useSearchShortcut();
  const main = useFocusOnRouteChange();
  return (
    <>
      <a className="skip-link" href="#main">
        {t("nav.skip")}
      </a>
      <AppShell
        header={{ height: 56 }}
        navbar={{ width: 248, breakpoint: "sm", collapsed: { mobile: true } }}
        padding={{ base: "md", sm: "xl" }}
      >
        <AppShell.Header px="md">
          <Group h="100%" gap="sm" wrap="nowrap" justify="space-between">
            <Group gap="sm" wrap="nowrap" miw={0}>
              <Burger hiddenFrom="sm" size="sm" opened={opened} onClick={drawer.toggle} aria-label={t("nav.open")} />
              <Link to="/" className="brand">
                {t("app.name")}
              </Link>
              <WorkspaceSwitch />
            </Group>
            <UserMenu />
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="sm" visibleFrom="sm">
          <Navigation />
        </AppShell.Navbar>
        <Drawer
          hiddenFrom="sm"
          size={280}
          opened={opened}
          onClose={drawer.close}
          title={t("app.name")}
          closeButtonProps={{ "aria-label": t("nav.close") }}
        >
          <Navigation onNavigate={drawer.close} />
        </Drawer>
        <AppShell.Main id="main" tabIndex={-1} ref={main}>
          <div className="content">
            <HealthNotice />
            <JoinedNotice me={me} />
            {/* Another workspace is another page: nothing typed or opened in one is kept in the next. */}
            <Outlet key={me.workspaceId} />
          </div>
        </AppShell.Main>
        <Uploads />
      </AppShell>
    </>
  );
}

/** Whoever cannot see the page change is put where the new content begins. */
function useFocusOnRouteChange() {
  const main = useRef<HTMLElement>(null);
  const { pathname, state } = useLocation();
  // A text that was saved for the first time has another address, but whoever writes it stays in it.
  const stays = state?.stays === true;
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    if (stays) return;
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [pathname, stays]);
  return main;
}
