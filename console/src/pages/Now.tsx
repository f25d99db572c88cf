import { Empty } from "@/ui/Empty";

export default function Now() {
  return (
    <div className="page">
      <header>
        <h1>Now</h1>
      </header>
      <Empty title="How things stand" command="setpoint get all" />
    </div>
  );
}
