import { Empty } from "@/ui/Empty";

export default function Access() {
  return (
    <div className="page">
      <header>
        <h1>Access</h1>
      </header>
      <Empty title="Who may do what" command="setpoint who-can delete project.workspace.host" />
    </div>
  );
}
