import { Empty } from "@/ui/Empty";

export default function Plan() {
  return (
    <div className="page">
      <header>
        <h1>Plan</h1>
      </header>
      <Empty title="One plan" command="setpoint plan" />
    </div>
  );
}
