import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, data, type Schemas } from "../../api/client";

export type Scope = Schemas["Scope"];
export type NewKey = Schemas["NewApiKey"];

export function useMakeKey() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; scopes: Scope[]; expiresAt: string | null }) =>
      data(api.POST("/api/keys", { body })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["keys"] }),
  });
}
