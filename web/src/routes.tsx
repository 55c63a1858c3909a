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
    path: "/welcome/link",
    lazy: async () => ({ Component: (await import("./features/session/LinkPage")).LinkPage }),
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
          {
            index: true,
            lazy: async () => ({ Component: (await import("./features/welcome/HomePage")).HomePage }),
          },
          {
            path: "knowledge",
            lazy: async () => ({ Component: (await import("./features/knowledge/KnowledgePage")).KnowledgePage }),
          },
          {
            path: "knowledge/:kbId",
            lazy: async () => ({
              Component: (await import("./features/knowledge/KnowledgeBasePage")).KnowledgeBasePage,
            }),
            children: [
              {
                index: true,
                lazy: async () => ({ Component: (await import("./features/knowledge/DocumentsTab")).DocumentsTab }),
              },
              {
                path: "settings",
                lazy: async () => ({
                  Component: (await import("./features/knowledge/KnowledgeBaseSettings")).KnowledgeBaseSettings,
                }),
              },
            ],
          },
          {
            path: "documents/:documentId",
            lazy: async () => ({ Component: (await import("./features/knowledge/DocumentPage")).DocumentPage }),
          },
          {
            path: "notes",
            children: [
              {
                index: true,
                lazy: async () => ({ Component: (await import("./features/notes/NotesPage")).NotesPage }),
              },
              {
                path: "templates",
                lazy: async () => ({ Component: (await import("./features/notes/TemplatesPage")).TemplatesPage }),
              },
              {
                path: ":noteId",
                lazy: async () => ({ Component: (await import("./features/notes/NotePage")).NotePage }),
              },
              {
                path: ":noteId/edit",
                lazy: async () => ({ Component: (await import("./features/notes/EditorPage")).EditorPage }),
              },
            ],
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
            path: "tools",
            lazy: async () => ({ Component: (await import("./features/tools/ToolsPage")).ToolsPage }),
          },
          {
            path: "tools/:toolName",
            lazy: async () => ({ Component: (await import("./features/tools/ToolPage")).ToolPage }),
          },
          {
            path: "activity",
            lazy: async () => ({ Component: (await import("./features/activity/ActivityPage")).ActivityPage }),
          },
          {
            path: "connect",
            lazy: async () => ({ Component: (await import("./features/connect/ConnectPage")).ConnectPage }),
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
                path: "models",
                lazy: async () => ({ Component: (await import("./features/settings/ModelsPage")).ModelsPage }),
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
