// Around every page: sections, scope, mode, stream, inbox and oneself.
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { Menu as MenuIcon, Search } from "lucide-react";
import { useDeferredValue, useEffect, useState } from "react";
import { meQuery } from "@/api/access";
import { LiveProvider } from "@/live/live";
import { keepScope, textOf } from "@/scope/scope";
import { useScope } from "@/scope/useScope";
import { Button } from "@/ui/Button";
import { KeysHelp } from "@/ui/KeysHelp";
import { useKeys } from "@/ui/keys";
import { Palette } from "@/ui/Palette";
import { Problem } from "@/ui/Problem";
import { BottomLine } from "./BottomLine";
import { ConnectionBar } from "./ConnectionBar";
import { InboxCount } from "./InboxCount";
import { MeMenu } from "./MeMenu";
import { ModeBanner, ModeSwitch } from "./ModeSwitch";
import { Nowhere, Unknown } from "./Nowhere";
import { ScopePicker, useFirstScope, useNowhere, useUnknown } from "./ScopePicker";
import { StreamDot } from "./StreamDot";
import { useSections } from "./sections";

const ANYWHERE = ["/declare/", "/me"]; // What can be done before there is any organization.

export function Frame() {
  const me = useQuery(meQuery);
  const scope = useScope();
  useFirstScope(Boolean(me.data));
  if (me.error && !me.data) return <Problem error={me.error} again={() => void me.refetch()} />;
  if (!me.data)
    return (
      <>
        <ConnectionBar />
        <div className="page faint">Loading …</div>
      </>
    );
  return (
    <LiveProvider organization={scope.organization ?? ""}>
      <Shell />
    </LiveProvider>
  );
}

function Shell() {
  const scope = useScope();
  const [help, setHelp] = useState(false);
  const [palette, setPalette] = useState(false);
  const [nav, setNav] = useState(false);
  const { pathname } = useLocation();
  // The frame is drawn before what is in it: it is the same everywhere, and a page may be long.
  const drawn = useDeferredValue(true, false);
  const anywhere = ANYWHERE.some((path) => pathname.startsWith(path));
  const nowhere = useNowhere() && !anywhere;
  const unknown = useUnknown();
  useFrameKeys(() => setHelp(true));
  useEffect(() => {
    const opened = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      setPalette(true);
    };
    document.addEventListener("keydown", opened);
    return () => document.removeEventListener("keydown", opened);
  }, []);
  return (
    <div className="frame">
      <a className="skip" href="#main">
        to the page
      </a>
      <header className="top">
        <Button
          look="quiet"
          label="sections"
          expanded={nav}
          onClick={() => setNav(!nav)}
          icon={<MenuIcon size={16} />}
        >
          {""}
        </Button>
        <ScopePicker />
        <span className="grow" />
        <Button
          look="plain"
          icon={<Search size={14} aria-hidden />}
          label="Search Ctrl K"
          onClick={() => setPalette(true)}
        >
          <span className="wide">Search</span> <kbd className="wide">Ctrl K</kbd>
        </Button>
        {/* Of an organization that is not there nothing is known: neither its mode nor what waits. */}
        {!unknown && <ModeSwitch />}
        {scope.organization && !unknown && <StreamDot />}
        {scope.organization && !unknown && <InboxCount />}
        <MeMenu help={() => setHelp(true)} />
      </header>
      <ConnectionBar />
      <Sections open={nav} close={() => setNav(false)} />
      <main id="main" tabIndex={-1} key={textOf(scope)}>
        <ModeBanner />
        {drawn && (nowhere ? <Nowhere /> : unknown && !anywhere ? <Unknown /> : <Outlet />)}
      </main>
      <BottomLine />
      <KeysHelp open={help} close={() => setHelp(false)} />
      <Palette open={palette} close={() => setPalette(false)} />
    </div>
  );
}

function Sections({ open, close }: { open: boolean; close: () => void }) {
  const sections = useSections();
  return (
    <nav className="sections" data-open={open || undefined} aria-label="sections">
      {sections.map(({ path, title, letter, icon: Icon }) => (
        <Link
          key={path}
          to={path as never}
          search={keepScope}
          activeProps={{ "aria-current": "page" }}
          title={`g ${letter}`}
          onClick={close}
        >
          <Icon size={16} aria-hidden />
          <span>{title}</span>
        </Link>
      ))}
    </nav>
  );
}

function useFrameKeys(help: () => void): void {
  const navigate = useNavigate();
  const sections = useSections();
  useKeys("go to", [
    ...sections.map(({ letter, title, path }) => ({
      keys: `g ${letter}`,
      says: title,
      do: () => void navigate({ to: path as never, search: keepScope }),
    })),
    { keys: "?", says: "keys of this page", do: help },
  ]);
}
