import { Empty } from "@/ui/Empty";

export default function Declare() {
  return (
    <div className="page">
      <header>
        <h1>Declare</h1>
      </header>
      <Empty title="Declare something" command="setpoint apply" />
    </div>
  );
}
