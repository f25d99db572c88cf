import { Empty } from "@/ui/Empty";

export default function Me() {
  return (
    <div className="page">
      <header>
        <h1>Me & tokens</h1>
      </header>
      <Empty title="Sessions and tokens of yours" command="setpoint token list" />
    </div>
  );
}
