import { Empty } from "@/ui/Empty";

export default function Resource() {
  return (
    <div className="page">
      <header>
        <h1>Resource</h1>
      </header>
      <Empty title="One object" command="setpoint describe" />
    </div>
  );
}
