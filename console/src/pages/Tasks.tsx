// Long work: what runs now first, each with the step it is at; what is over below, newest first.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { titled } from "@/api/kinds";
import { everyTaskQuery, type Task, type Usual } from "@/api/tasks";
import { keepScope } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { Ago, useNow } from "@/ui/Ago";
import { useParams } from "@/ui/address";
import { Empty } from "@/ui/Empty";
import { Go } from "@/ui/Go";
import { QueryProblem } from "@/ui/QueryProblem";
import { Badge } from "@/ui/StateBadge";
import { type Column, Table } from "@/ui/Table";
import { stuck } from "@/words/lanes";
import { span } from "@/words/time";
import { TASK_STATES } from "./task/states";
import "./task/task.css";

const SHOWS = ["open", "failed", "all"] as const;

export default function Tasks() {
  const { organization = "" } = useScope();
  const navigate = useNavigate();
  const [search, set] = useParams();
  const show = search.show ?? "all";
  const query = useInfiniteQuery(everyTaskQuery(organization));
  const all = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const rows = useMemo(() => openFirst(all.filter((task) => shows(show, task))), [all, show]);
  const usual = query.data?.pages[0]?.usual;
  const columns = useMemo(() => columnsOf(usual ?? {}), [usual]);
  return (
    <div className="page tall">
      <header>
        <h1>Tasks</h1>
        <span className="faint">{query.data && sentence(all, query.hasNextPage)}</span>
        <span className="grow" />
        {SHOWS.map((each) => (
          <button
            key={each}
            type="button"
            className="link"
            aria-pressed={each === show}
            onClick={() => set({ show: each === "all" ? "" : each })}
          >
            {each}
          </button>
        ))}
      </header>
      <QueryProblem query={query} />
      <Table
        label="tasks"
        columns={columns}
        rows={rows}
        keyOf={(row) => row.id}
        chosen={search.at ?? ""}
        choose={(at) => set({ at })}
        open={(row) =>
          void navigate({ to: "/tasks/$id" as never, params: { id: row.id } as never, search: keepScope })
        }
        more={{ has: query.hasNextPage, loading: query.isFetching, load: () => void query.fetchNextPage() }}
        height={40}
        empty={query.isSuccess ? <Nothing show={show} clear={() => set({ show: "" })} /> : null}
      />
    </div>
  );
}

function columnsOf(usual: Record<string, Usual>): Column<Task>[] {
  return [
    {
      key: "state",
      title: "State",
      width: "120px",
      cell: (row) => <Badge {...TASK_STATES[row.state]} />,
    },
    {
      key: "task",
      title: "Task",
      width: "minmax(190px, 1.3fr)",
      cell: (row) => <strong>{row.pipeline}</strong>,
    },
    {
      key: "for",
      title: "For",
      width: "minmax(150px, 1fr)",
      cell: (row) => titled(row.asked_by),
    },
    { key: "steps", title: "Steps", width: "minmax(170px, 1fr)", cell: (row) => <Steps task={row} /> },
    {
      key: "reason",
      title: "Now",
      width: "minmax(200px, 2fr)",
      cell: (row) => (
        <span className={row.error ? "tone-red" : ""} title={row.error || row.reason}>
          {row.reason}
        </span>
      ),
    },
    {
      key: "took",
      title: "Took",
      width: "minmax(130px, 1fr)",
      cell: (row) => <Took task={row} usual={usual[row.pipeline]} />,
    },
    { key: "since", title: "Asked", width: "100px", cell: (row) => <Ago at={row.created_at} /> },
  ];
}

function Steps({ task }: { task: Task }) {
  const done = task.steps_done.length;
  return (
    <span className="row" title={task.steps.join(" → ")}>
      <span className="task-step-dots" aria-hidden>
        {task.steps.map((step) => (
          <i
            key={step}
            data-state={
              task.steps_done.includes(step)
                ? "done"
                : step === task.step && task.state !== "done"
                  ? task.state
                  : ""
            }
          />
        ))}
      </span>
      <span className="number faint">
        {done} of {task.steps.length}
      </span>
      {task.state !== "done" && <span className="cut">{task.step}</span>}
    </span>
  );
}

function Took({ task, usual }: { task: Task; usual: Usual | undefined }) {
  const now = useNow();
  const took = seconds(task, isOpen(task) ? now : Date.parse(task.changed_at));
  const slow = stuck({ ...task, usual: usual ?? null }, now);
  return (
    <span
      className={slow ? "number tone-orange" : "number"}
      title={usual && `ninety-nine in a hundred take at most ${short(usual.p99)}`}
    >
      {slow && "! stuck? "}
      {short(took)}
      {usual && <span className="faint"> · usually {short(usual.p50)}</span>}
    </span>
  );
}

const seconds = (task: Task, until: number) => Math.max(0, (until - Date.parse(task.created_at)) / 1000);
const short = (value: number) => (value < 1 ? `${Math.round(value * 1000)} ms` : span(value));
const isOpen = (task: Task) => task.state !== "done" && task.state !== "failed";

function shows(show: string, task: Task): boolean {
  if (show === "open") return isOpen(task);
  return show === "failed" ? task.state === "failed" : true;
}

function openFirst(tasks: Task[]): Task[] {
  return [...tasks.filter(isOpen), ...tasks.filter((task) => !isOpen(task))];
}

function sentence(tasks: Task[], more: boolean): string {
  const open = tasks.filter(isOpen).length;
  const failed = tasks.filter((task) => task.state === "failed").length;
  const words = open ? `${open} under way` : "nothing is under way";
  const said = failed ? `${words}, ${failed} failed` : words;
  return more ? `${said}, of the newest ${tasks.length}` : said;
}

function Nothing({ show, clear }: { show: string; clear: () => void }) {
  if (show !== "all")
    return (
      <Empty
        title={show === "open" ? "Nothing is under way" : "Nothing failed"}
        action={
          <button type="button" className="link" onClick={clear}>
            show all
          </button>
        }
        command="setpoint tasks"
      />
    );
  return (
    <Empty
      title="No long work was asked for yet"
      command="setpoint tasks"
      action={<Go to="/declare/workspace">Declare a workspace</Go>}
    >
      What takes many steps is a task: setting up a workspace, replacing a host. It goes on where it was after
      any interruption, and undoes what it did where it cannot go on.
    </Empty>
  );
}
