import { Empty } from "@/ui/Empty";

export default function Hosts() {
  return (
    <div className="page">
      <header>
        <h1>Hosts</h1>
      </header>
      <Empty title="Machines and their agents" command="setpoint get hosts" />
    </div>
  );
}
