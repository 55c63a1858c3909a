import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, data, type Schemas } from "./client";

/** Begins like the knowledge bases, so that live events renew it while the sample is being read. */
const SAMPLE = ["knowledge-bases", "sample"] as const;

/** The sample with its questions, and whether there is anything beside it. */
export function useSample() {
  return useQuery({ queryKey: SAMPLE, queryFn: () => data(api.GET("/api/sample")) });
}

export function useLoadSample() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => data(api.POST("/api/sample")),
    onSuccess: (sample: Schemas["SampleOut"]) => {
      queryClient.setQueryData(SAMPLE, sample);
      return queryClient.invalidateQueries({ queryKey: ["knowledge-bases"] });
    },
  });
}

export function useRemoveSample() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => data(api.DELETE("/api/sample")),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["knowledge-bases"] }),
  });
}
