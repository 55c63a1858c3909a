import { useState } from "react";
import { Navigate, useLocation } from "react-router";
import { QueryState } from "../../components/QueryState";
import { Loading } from "../../components/Loading";
import { useSample } from "../../api/sample";
import { Welcome } from "./Welcome";

/** Whoever has documents wants to see them; everybody else is shown how to begin. */
export function HomePage() {
  return <Arrival key={useLocation().key} />;
}

/** Decided once, by what is true on arrival: documents that come later must not take the page from its reader. */
function Arrival() {
  const sample = useSample();
  const [begins, setBegins] = useState<boolean>();
  if (begins === undefined && sample.data && !sample.isFetching) setBegins(sample.data.ownDocumentCount === 0);
  if (begins === false) return <Navigate to="/knowledge" replace />;
  return (
    <QueryState query={sample} rows={8}>
      {(found) => (begins ? <Welcome sample={found} /> : <Loading rows={8} />)}
    </QueryState>
  );
}
