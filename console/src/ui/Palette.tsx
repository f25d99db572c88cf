// Ctrl-K: go anywhere, find any object, do what the page offers.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useId, useState } from "react";
import { searchQuery } from "@/api/inventory";
import { titled } from "@/api/kinds";
import { useSections } from "@/frame/sections";
import { keepScope } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { linkTo } from "@/words/link";
import { useKeyGroups } from "./keys";
import { Sheet } from "./Sheet";
import { StateBadge } from "./StateBadge";

interface Offer {
  key: string;
  title: string;
  more?: React.ReactNode;
  do: () => void;
}

export function Palette({ open, close }: { open: boolean; close: () => void }) {
  // Not there while closed: an empty root with a name means nothing to a screen reader.
  return open ? <Opened close={close} /> : null;
}

function Opened({ close }: { close: () => void }) {
  // Kept here: who types right after Ctrl-K types before the sheet stands, and goes on typing on it.
  const [text, setText] = useState("");
  const search = <Search text={text} setText={setText} close={close} />;
  return (
    <Sheet label="search and commands" close={close} waiting={<div className="hidden">{search}</div>}>
      {search}
    </Sheet>
  );
}

function Search(props: { text: string; setText: (text: string) => void; close: () => void }) {
  const { text, setText, close } = props;
  const [at, setAt] = useState(0);
  const offers = useOffers(text);
  const id = useId();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text begins at the top
  useEffect(() => setAt(0), [text]);
  const take = (offer: Offer | undefined) => {
    if (!offer) return;
    close();
    offer.do();
  };
  return (
    <div className="palette">
      <input
        // biome-ignore lint/a11y/noAutofocus: a palette is opened to be typed into
        autoFocus
        data-autofocus
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={offers[at] ? `${id}-${at}` : undefined}
        aria-label="search objects, pages and commands"
        placeholder="search objects, pages, commands"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (by) setAt(Math.min(Math.max(at + by, 0), offers.length - 1));
          if (event.key === "Enter") take(offers[at]);
          if (by || event.key === "Enter") event.preventDefault();
        }}
      />
      <div role="listbox" id={id} aria-label="offers" tabIndex={-1}>
        {offers.map((offer, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: arrows and Enter act on it from the field above
          <div
            role="option"
            key={offer.key}
            id={`${id}-${index}`}
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => take(offer)}
          >
            <span className="grow cut">{offer.title}</span>
            {offer.more}
          </div>
        ))}
        {offers.length === 0 && (
          <div role="option" aria-selected={false} aria-disabled tabIndex={-1} className="faint">
            nothing is called so here
          </div>
        )}
      </div>
    </div>
  );
}

function useOffers(text: string): Offer[] {
  const navigate = useNavigate();
  const scope = useScope();
  const sections = useSections();
  const keys = useKeyGroups();
  const found = useQuery({
    ...searchQuery(scope, text),
    enabled: text.length > 1 && Boolean(scope.organization),
  });
  const wanted = text.toLowerCase();
  const pages: Offer[] = sections.map((section) => ({
    key: section.path,
    title: `Go to ${section.title}`,
    more: <kbd>g {section.letter}</kbd>,
    do: () => void navigate({ to: section.path, search: keepScope }),
  }));
  const commands: Offer[] = keys
    .filter((group) => group.title !== "go to")
    .flatMap((group) => group.keys)
    .map((key) => ({ key: `key ${key.keys}`, title: key.says, more: <kbd>{key.keys}</kbd>, do: key.do }));
  const objects: Offer[] = (found.data?.items ?? []).map((entity) => ({
    key: entity.metadata.ref,
    title: `${titled(entity.kind)} ${entity.metadata.name}`,
    more: <StateBadge state={entity.status.state} />,
    do: () => void navigate({ ...linkTo(entity), search: keepScope }),
  }));
  const matching = [...pages, ...commands].filter((offer) => offer.title.toLowerCase().includes(wanted));
  return [...objects, ...matching].slice(0, 30);
}
