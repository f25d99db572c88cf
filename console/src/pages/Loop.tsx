import { Empty } from "@/ui/Empty";

export default function Loop() {
  return (
    <div className="page">
      <header>
        <h1>Loop</h1>
      </header>
      <Empty title="The passes of one kind" command="setpoint passes" />
    </div>
  );
}
