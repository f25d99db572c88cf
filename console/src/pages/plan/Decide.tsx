// The answer: why, for which items, by whom; and in words why not, before anything is pressed.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { askedIn, changesPath, decisionPath, type GroupedPlan, type Review } from "@/api/plans";
import { useScope } from "@/scope/useScope";
import { Ago } from "@/ui/Ago";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { useKeys } from "@/ui/keys";
import { Problem } from "@/ui/Problem";
import { ShowAs } from "@/ui/ShowAs";
import { useProven } from "@/ui/StepUp";
import { type Choice, itemsOf, picked } from "@/words/choice";
import { type Deed, quoted } from "@/words/deed";

export interface DecideProps {
  plan: GroupedPlan;
  beside: Review | undefined;
  choice: Choice;
}

export function Decide({ plan, beside, choice }: DecideProps) {
  const { organization = "" } = useScope();
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [reason, setReason] = useState("");
  const { send, dialog } = useProven();
  const chosen = picked(choice, plan.groups);
  const all = chosen === plan.asked_count;
  const items = useItems(organization, plan, choice, !all && chosen > 0);
  const decide = useMutation({
    mutationFn: (verb: "approve" | "reject") =>
      send<GroupedPlan>("POST", decisionPath(organization, plan.id, verb), {
        query: { view: "groups" },
        body: {
          digest: plan.digest,
          reason,
          ...(verb === "approve" && items.data ? { items: items.data } : {}),
        },
      }),
    onSuccess: (found) => {
      client.setQueryData(["plan", organization, plan.id], found);
      void client.invalidateQueries({ queryKey: ["plans"] });
      void client.invalidateQueries({ queryKey: ["plan", organization, plan.id] });
    },
  });
  const toReason = () => form.current?.querySelector("input")?.focus();
  const held = plan.state === "held";
  useKeys(
    "decide",
    held
      ? [
          { keys: "a", says: "say why, then approve or reject", do: toReason },
          {
            keys: "y",
            says: "show as command, curl, Python",
            do: () => form.current?.querySelector<HTMLElement>(".show-as button")?.click(),
          },
        ]
      : [],
  );
  if (!held) return <Decided plan={plan} error={decide.error} />;
  const unsaid = reason.trim() ? "" : "say why first: it is kept in the audit";
  const none = chosen === 0 && plan.asked_count > 0 ? "choose at least one group" : "";
  const unread = !all && chosen > 0 && !items.data ? "one moment: the names of what is chosen are read" : "";
  const deed = deedOf(organization, plan, reason || "WHY", items.data);
  return (
    <form ref={form} className="plan-decide card" onSubmit={(event) => event.preventDefault()}>
      {beside?.why_not && (
        <p className="tone-orange">
          <strong>! You cannot approve this:</strong> {beside.why_not}
        </p>
      )}
      <div className="row wrap plan-decide-row">
        <div className="grow">
          <TextField
            label="why"
            hint="the old shop is closed, ticket 4711"
            value={reason}
            change={setReason}
          />
        </div>
        <Button
          look="main"
          writes
          small={false}
          keys="a"
          busy={decide.isPending && decide.variables === "approve"}
          whyNot={beside?.why_not || none || unsaid || unread}
          onClick={() => decide.mutate("approve")}
        >
          Approve {all ? `all ${plan.asked_count}` : `${chosen} of ${plan.asked_count}`}
          <span className="mono plan-digest"> {plan.digest.slice(0, 8)}</span>
        </Button>
        <Button
          look="danger"
          writes
          small={false}
          busy={decide.isPending && decide.variables === "reject"}
          whyNot={unsaid}
          onClick={() => decide.mutate("reject")}
        >
          Reject
        </Button>
      </div>
      {!all && chosen > 0 && (
        <p className="faint">
          {plan.asked_count - chosen} left out: they stay as they are, and ask again when the rest is done.
        </p>
      )}
      <Problem error={items.error ?? decide.error} />
      <ShowAs deed={deed} />
      {dialog}
    </form>
  );
}

/** The chosen items by name, read once not all of them are meant; undefined for all. */
function useItems(organization: string, plan: GroupedPlan, choice: Choice, partly: boolean) {
  const path = changesPath.plan(organization, plan.id);
  const told = Object.entries(choice).map(([key, { all, but }]) => [key, all, [...but].sort()]);
  const query = useQuery({
    queryKey: ["changes", path, "chosen", told],
    queryFn: () => itemsOf(choice, plan.groups, (group) => askedIn(path, group)),
    enabled: partly,
  });
  return { data: partly ? query.data : undefined, error: query.error };
}

function Decided({ plan, error }: { plan: GroupedPlan; error: unknown }) {
  const some = plan.agreed_count < plan.asked_count ? `${plan.agreed_count} of ${plan.asked_count} ` : "";
  const words = {
    approved: `${some}approved by ${plan.decided_by}`,
    done: plan.decided_by ? `${some}approved by ${plan.decided_by}, and done` : "done",
    rejected: `rejected by ${plan.decided_by}: nothing of it is done until the declaration or the world changes`,
    stale: "out of date: the world or the declaration changed, so there is nothing left to decide here",
  }[plan.state as string];
  return (
    <div className="plan-decide card">
      <p>
        <strong>{words}</strong> <Ago at={plan.changed_at} />
        {plan.note && <> · “{plan.note}”</>}
      </p>
      <Problem error={error} />
    </div>
  );
}

function deedOf(organization: string, plan: GroupedPlan, reason: string, items: string[] | undefined): Deed {
  const only = (items ?? []).map((item) => ` --only ${quoted(item)}`).join("");
  return {
    method: "POST",
    path: decisionPath(organization, plan.id, "approve"),
    body: { digest: plan.digest, reason, ...(items ? { items } : {}) },
    command: `setpoint approve ${plan.id} --reason ${quoted(reason)}${only}`,
  };
}
