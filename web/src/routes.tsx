/** Every address of the page. Each feature's code is fetched when it is first opened. */
import { createBrowserRouter, Navigate } from "react-router";
import { Loading } from "./components/Loading";
import { NotFound } from "./shell/NotFound";
import { RouteError } from "./shell/RouteError";
import { Shell } from "./shell/Shell";

export const router = createBrowserRouter([
  {
    path: "/welcome",
    lazy: async () => ({ Component: (await import("./features/session/SignInPage")).SignInPage }),
    ErrorBoundary: RouteError,
    HydrateFallback: Loading,
  },
  {
    path: "/",
    Component: Shell,
    ErrorBoundary: RouteError,
    HydrateFallback: Loading,
    children: [
      {
        ErrorBoundary: RouteError,
        children: [
          { index: true, element: <Navigate to="/knowledge" replace /> },
          {
            path: "knowledge",
            lazy: async () => ({ Component: (await import("./features/knowledge/KnowledgePage")).KnowledgePage }),
          },
          {
            path: "search",
            lazy: async () => ({ Component: (await import("./features/search/SearchPage")).SearchPage }),
          },
          {
            path: "documents/:documentId/view",
            lazy: async () => ({ Component: (await import("./features/search/ViewerPage")).ViewerPage }),
          },
          {
            path: "operations",
            lazy: async () => ({ Component: (await import("./features/operations/OperationsPage")).OperationsPage }),
          },
          {
            path: "settings",
            lazy: async () => ({ Component: (await import("./features/settings/SettingsPage")).SettingsPage }),
            children: [
              { index: true, element: <Navigate to="members" replace /> },
              {
                path: "members",
                lazy: async () => ({ Component: (await import("./features/settings/MembersPage")).MembersPage }),
              },
              {
                path: "keys",
                lazy: async () => ({ Component: (await import("./features/settings/KeysPage")).KeysPage }),
              },
              {
                path: "workspace",
                lazy: async () => ({ Component: (await import("./features/settings/WorkspacePage")).WorkspacePage }),
              },
            ],
          },
          { path: "*", Component: NotFound },
        ],
      },
    ],
  },
]);
