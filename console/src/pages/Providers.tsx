// Accounts at vendors: how much may be done through each, what was found there, and what hangs on it.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useWhyNot } from "@/api/access";
import { againAfter } from "@/api/entity";
import { inventoryQuery } from "@/api/inventory";
import { keepScope } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { QueryProblem } from "@/ui/QueryProblem";
import { ProviderCard } from "./providers/ProviderCard";
import "./providers/providers.css";

export default function Providers() {
  const { organization = "" } = useScope();
  // As in the inventory: events patch these objects where they lie.
  const query = useInfiniteQuery({
    ...inventoryQuery({ organization }, { kind: "provider" }),
    refetchInterval: ({ state }) => againAfter(state.data?.pages.flatMap((page) => page.items) ?? []),
  });
  const providers = query.data?.pages.flatMap((page) => page.items) ?? [];
  const navigate = useNavigate();
  const whyNot = useWhyNot("create", "organization.provider", { organization });
  const declare = (
    <Button
      look="main"
      icon={<Plus size={14} aria-hidden />}
      whyNot={whyNot}
      onClick={() =>
        void navigate({
          to: "/declare/$kind" as never,
          params: { kind: "provider" } as never,
          search: keepScope,
        })
      }
    >
      Connect an account
    </Button>
  );
  return (
    <div className="page">
      <header>
        <h1>Providers</h1>
        <span className="grow faint">accounts at vendors, and what may be done through each</span>
        {providers.length > 0 && declare}
      </header>
      <QueryProblem query={query} />
      {query.isSuccess && providers.length === 0 && (
        <Empty title="No account is connected" action={declare} command="setpoint explain provider">
          A provider is an account at a vendor. It begins by looking only; nothing is changed through it
          before its mode says so.
        </Empty>
      )}
      <div className="providers-accounts">
        {providers.map((each) => (
          <ProviderCard key={each.metadata.ref} provider={each} />
        ))}
      </div>
      {query.hasNextPage && <Button onClick={() => void query.fetchNextPage()}>More</Button>}
    </div>
  );
}
