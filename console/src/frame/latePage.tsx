// A page whose file is loaded when it is opened, or ahead when there is nothing else to do. A file that does not come is
// shown as a page inside the frame, and is loaded by itself when the server answers again.
import { type ComponentType, type FunctionComponent, useEffect, useState } from "react";
import { connection, useCut } from "@/api/connection";
import type { Load } from "@/pages";
import { Button } from "@/ui/Button";

export type LatePage = FunctionComponent & { preload: () => Promise<void> };

export function latePage(load: Load): LatePage {
  let found: ComponentType | undefined;
  const fetchIt = async () => {
    found ??= (await load()).default;
  };
  function Late() {
    const cut = useCut() !== null;
    const [failed, setFailed] = useState(false);
    const [, draw] = useState(0);
    useEffect(() => {
      if (found || cut) return;
      fetchIt().then(
        () => draw((times) => times + 1),
        () => {
          setFailed(true);
          void connection.suspect();
        },
      );
    }, [cut]);
    const Page = found;
    if (Page) return <Page />;
    return cut || failed ? <Unloaded cut={cut} /> : <div className="page faint">Loading …</div>;
  }
  Late.preload = () => fetchIt().catch(() => undefined);
  return Late;
}

function Unloaded({ cut }: { cut: boolean }) {
  return (
    <div className="page">
      <div className="empty" role="alert">
        <h1>This page is not loaded</h1>
        {cut ? (
          <p>There is no connection to the server. The page opens by itself when the server is back.</p>
        ) : (
          <>
            <p>Its file did not come. The server may have been updated since you opened the console.</p>
            <Button look="main" onClick={() => location.reload()}>
              Reload
            </Button>
          </>
        )}
      </div>
    </div>
  );
}
