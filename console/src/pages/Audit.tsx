import { Empty } from "@/ui/Empty";

export default function Audit() {
  return (
    <div className="page">
      <header>
        <h1>Audit</h1>
      </header>
      <Empty title="Who did what" command="setpoint audit" />
    </div>
  );
}
