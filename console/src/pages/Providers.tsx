import { Empty } from "@/ui/Empty";

export default function Providers() {
  return (
    <div className="page">
      <header>
        <h1>Providers</h1>
      </header>
      <Empty title="Accounts at providers" command="setpoint get providers" />
    </div>
  );
}
