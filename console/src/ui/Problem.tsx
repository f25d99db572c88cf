// A refusal, whole, staying until something supersedes it: what, why, what to do next, and every mistake.
import { Refusal } from "@/api/request";

export function Problem({ error, again }: { error: unknown; again?: () => void }) {
  if (!error) return null;
  const problem = error instanceof Refusal ? error.problem : null;
  return (
    <div className="problem" role="alert">
      <strong>{problem?.title ?? "a mistake of the console"}</strong>
      <div>{problem?.detail ?? String(error)}</div>
      {problem?.errors && problem.errors.length > 0 && (
        <ul>
          {problem.errors.map((each) => (
            <li key={each.pointer + each.message}>
              {each.pointer && <code>{each.pointer}</code>} {each.message}
              {each.hint && <span className="faint"> · {each.hint}</span>}
            </li>
          ))}
        </ul>
      )}
      {problem?.hint && <div className="faint">next: {problem.hint}</div>}
      <div className="row wrap faint">
        {problem?.type && <a href={problem.type}>cause and cure</a>}
        {problem?.trace_id && <span className="mono">trace {problem.trace_id}</span>}
        {again && (
          <button type="button" className="link" onClick={again}>
            try again
          </button>
        )}
      </div>
    </div>
  );
}
