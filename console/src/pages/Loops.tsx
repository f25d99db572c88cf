import { Empty } from "@/ui/Empty";

export default function Loops() {
  return (
    <div className="page">
      <header>
        <h1>Loops</h1>
      </header>
      <Empty title="How often each kind is looked at" command="setpoint loops" />
    </div>
  );
}
