// Oneself: where one is signed in, how one proves it, and everything that acts in one's name.
import { useQuery } from "@tanstack/react-query";
import { meQuery } from "@/api/access";
import { useScope } from "@/scope/useScope";
import { Tabs } from "@/ui/Tabs";
import { Password } from "./me/Password";
import { SecondFactor } from "./me/SecondFactor";
import { Sessions } from "./me/Sessions";
import { Tokens } from "./me/Tokens";
import "./me/me.css";

export default function Me() {
  const { data: me } = useQuery(meQuery);
  const { organization, workspace } = useScope();
  return (
    <div className="page me">
      <header>
        <h1>Me & tokens</h1>
        <span className="grow faint">
          {me?.name} ·{" "}
          {me?.roles.map((each) => [each.role, each.scope].filter(Boolean).join(" in ")).join(", ")}
        </span>
      </header>
      <Tabs
        tabs={[
          { key: "sessions", title: "Sessions", show: () => <Sessions /> },
          {
            key: "proof",
            title: "Password & second factor",
            show: () => (
              <div className="me-proofs">
                <Password />
                <SecondFactor />
              </div>
            ),
          },
          { key: "tokens", title: "My tokens", show: () => <Tokens whose="mine" /> },
          ...(organization
            ? [{ key: "programs", title: "For programs", show: () => <Tokens whose="organization" /> }]
            : []),
          ...(workspace
            ? [{ key: "keys", title: `Keys of ${workspace}`, show: () => <Tokens whose="workspace" /> }]
            : []),
        ]}
      />
    </div>
  );
}
