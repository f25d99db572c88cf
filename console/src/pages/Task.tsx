import { Empty } from "@/ui/Empty";

export default function Task() {
  return (
    <div className="page">
      <header>
        <h1>Task</h1>
      </header>
      <Empty title="One task" command="setpoint tasks" />
    </div>
  );
}
