// What is the matter with a question: it was refused, or it waits for the server to be back.
import { Problem } from "./Problem";

interface Asked {
  data: unknown;
  error: unknown;
  isPaused: boolean;
  isPending: boolean;
  refetch: () => unknown;
}

export function QueryProblem({ query, loading = false }: { query: Asked; loading?: boolean }) {
  if (query.error) return <Problem error={query.error} again={() => void query.refetch()} />;
  if (query.data === undefined && query.isPaused)
    return <p className="faint">Not loaded: no connection. It is loaded when the server is back.</p>;
  return loading && query.isPending ? <p className="faint">Loading …</p> : null;
}
