import { Tabs } from "@mantine/core";
import { Outlet, useLocation, useNavigate } from "react-router";
import { PageHeader } from "../../components/PageHeader";
import { useLanguage } from "../../messages/language";

const SECTIONS = [
  { value: "members", name: "settings.members" },
  { value: "keys", name: "settings.keys" },
  { value: "models", name: "models.title" },
  { value: "workspace", name: "settings.workspace" },
] as const;

export function SettingsPage() {
  const { t } = useLanguage();
  const navigate = useNavigate();
  const current = useLocation().pathname.split("/")[2] ?? "members";
  return (
    <>
      <PageHeader title={t("settings.title")} />
      <Tabs value={current} onChange={(value) => navigate(`/settings/${value}`)} keepMounted={false}>
        <Tabs.List mb="lg" aria-label={t("settings.sections")}>
          {SECTIONS.map(({ value, name }) => (
            <Tabs.Tab key={value} value={value} px={{ base: "xs", sm: "md" }}>
              {t(name)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {SECTIONS.map(({ value }) => (
          <Tabs.Panel key={value} value={value}>
            {value === current && <Outlet />}
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
