import { Empty } from "@/ui/Empty";

export default function Inbox() {
  return (
    <div className="page">
      <header>
        <h1>Inbox</h1>
      </header>
      <Empty title="Plans that wait for a person" command="setpoint plan" />
    </div>
  );
}
