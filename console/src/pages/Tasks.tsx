import { Empty } from "@/ui/Empty";

export default function Tasks() {
  return (
    <div className="page">
      <header>
        <h1>Tasks</h1>
      </header>
      <Empty title="Work of many steps" command="setpoint tasks" />
    </div>
  );
}
