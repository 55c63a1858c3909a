import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, data, type Schemas } from "../../api/client";
import { ME } from "../../api/queryClient";

export type Role = Schemas["Role"];
export type Scope = Schemas["Scope"];
export const ROLES: Role[] = ["owner", "editor", "viewer"];

/** A change that makes lists untrue, and which ones. */
export function useChange<Input, Output>(change: (input: Input) => Promise<Output>, ...stale: string[]) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => Promise.all(stale.map((first) => queryClient.invalidateQueries({ queryKey: [first] }))),
  });
}

export function useMembers() {
  return useQuery({ queryKey: ["members"], queryFn: () => data(api.GET("/api/members")) });
}

export function useChangeRole() {
  return useChange(
    ({ userId, role }: { userId: string; role: Role }) =>
      data(api.PATCH("/api/members/{userId}", { params: { path: { userId } }, body: { role } })),
    "members",
    ME[0],
  );
}

export function useRemoveMember() {
  return useChange(
    (userId: string) => data(api.DELETE("/api/members/{userId}", { params: { path: { userId } } })),
    "members",
    "keys",
    "workspaces",
    ME[0],
  );
}

export function useInvitations(enabled: boolean) {
  return useQuery({ queryKey: ["invitations"], queryFn: () => data(api.GET("/api/invitations")), enabled });
}

export function useInvite() {
  return useChange((body: { name: string; role: Role }) => data(api.POST("/api/invitations", { body })), "invitations");
}

export function useWithdrawInvitation() {
  return useChange(
    (invitationId: string) =>
      data(api.DELETE("/api/invitations/{invitationId}", { params: { path: { invitationId } } })),
    "invitations",
  );
}

export function useKeys() {
  return useQuery({ queryKey: ["keys"], queryFn: () => data(api.GET("/api/keys")) });
}

export function useCreateKey() {
  return useChange(
    (body: { name: string; scopes: Scope[]; expiresAt: string | null }) => data(api.POST("/api/keys", { body })),
    "keys",
  );
}

export function useRevokeKey() {
  return useChange((keyId: string) => data(api.DELETE("/api/keys/{keyId}", { params: { path: { keyId } } })), "keys");
}

export function useRenameWorkspace() {
  return useChange(
    ({ workspaceId, name }: { workspaceId: string; name: string }) =>
      data(api.PATCH("/api/workspaces/{workspaceId}", { params: { path: { workspaceId } }, body: { name } })),
    "workspaces",
    ME[0],
  );
}
