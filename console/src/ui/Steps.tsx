// Steps of a task as a bar: done, the one it is at, still to come.
export function Steps({ done, all, now }: { done: string[]; all: string[]; now: string }) {
  const at = all.length
    ? `step ${Math.min(done.length + 1, all.length)} of ${all.length}: ${now || "begins"}`
    : now;
  return (
    <span className="steps" role="img" aria-label={at} title={at}>
      {all.map((step) => (
        <span key={step} data-state={done.includes(step) ? "done" : step === now ? "now" : "later"} />
      ))}
    </span>
  );
}
