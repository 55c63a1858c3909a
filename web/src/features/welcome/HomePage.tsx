import { Navigate } from "react-router";
import { QueryState } from "../../components/QueryState";
import { useSample } from "../../api/sample";
import { Welcome } from "./Welcome";

/** Whoever has documents wants to see them; everybody else is shown how to begin. */
export function HomePage() {
  const sample = useSample();
  return (
    <QueryState query={sample} rows={8}>
      {(found) => (found.ownDocumentCount > 0 ? <Navigate to="/knowledge" replace /> : <Welcome sample={found} />)}
    </QueryState>
  );
}
