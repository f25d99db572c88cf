// The console itself.
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { client } from "@/api/client";
import { signedOut } from "@/api/request";
import { fetchPages, router } from "@/routes";
import { startKeys } from "@/ui/keys";
import { fetchLate, whenIdle } from "@/ui/late";
import { Root } from "@/ui/Root";
import "@/ui/mantine.css";
import "@/ui/theme.css";
import "@/ui/page.css";
import "@/ui/frame.css";
import "@/ui/now.css";
import "@/ui/resource.css";

signedOut.addEventListener("out", () => {
  if (location.pathname === "/sign-in" || location.pathname === "/start") return;
  client.clear();
  void router.navigate({ to: "/sign-in", search: { next: location.pathname + location.search } as never });
});
startKeys();
void open();

/** Drawn when there is something to draw, rather than twice. */
async function open(): Promise<void> {
  await router.load();
  createRoot(document.getElementById("root") as HTMLElement).render(
    <StrictMode>
      <Root>
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </Root>
    </StrictMode>,
  );
  // All files, when there is nothing else to do: then no page and no dialog needs the server to be opened.
  if (!savesData()) whenIdle(() => void fetchLate().then(fetchPages).then(fetchLate));
}

/** Whoever pays for each byte loads what they open, and no more. */
function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}
