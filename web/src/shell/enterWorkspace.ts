import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { chooseWorkspace } from "../api/workspace";

/** Go on in another workspace. */
export function useEnterWorkspace(): (id: string) => void {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return (id) => {
    chooseWorkspace(id);
    // Nothing of one workspace may be shown in another.
    queryClient.clear();
    navigate("/");
  };
}
