import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, data } from "../../api/client";
import { ME } from "../../api/queryClient";
import { chooseWorkspace } from "../../api/workspace";

export function useWorkspaces(enabled: boolean) {
  return useQuery({ queryKey: ["workspaces"], queryFn: () => data(api.GET("/api/workspaces")), enabled });
}

export function useCreateWorkspace() {
  return useMutation({ mutationFn: (name: string) => data(api.POST("/api/workspaces", { body: { name } })) });
}

export function useSignInWithKey() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (key: string) => data(api.POST("/api/session", { body: { key } })),
    onSuccess: (who) => {
      chooseWorkspace(null);
      queryClient.clear();
      queryClient.setQueryData(ME, who);
    },
  });
}

export function useSignOut() {
  return useMutation({
    mutationFn: () => data(api.POST("/api/sign-out")),
    onSuccess: () => {
      chooseWorkspace(null);
      // A fresh page holds nothing of whoever was signed in.
      location.assign("/welcome");
    },
  });
}
