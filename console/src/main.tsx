import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { meQuery } from "@/api/access";
import { Refusal, signedOut } from "@/api/request";
import { router } from "@/routes";
import { startKeys } from "@/ui/keys";
import { Root } from "@/ui/Root";
import "@/ui/mantine.css";
import "@/ui/theme.css";
import "@/ui/page.css";
import "@/ui/frame.css";
import "@/ui/now.css";
import "@/ui/resource.css";

const REFUSED = 400;
const client = new QueryClient({
  defaultOptions: {
    queries: {
      // What is on screen is kept fresh by the stream, not by asking again.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // A refusal stays a refusal; no answer may be followed by one.
      retry: (times, error) =>
        times < 2 && !(error instanceof Refusal && error.status >= REFUSED && error.status < 500),
    },
  },
});

signedOut.addEventListener("out", () => {
  if (location.pathname === "/sign-in" || location.pathname === "/start") return;
  client.clear();
  void router.navigate({ to: "/sign-in", search: { next: location.pathname + location.search } as never });
});
startKeys();
// Asked for while the page's own file is still on its way.
void client.prefetchQuery(meQuery);

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <Root>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </Root>
  </StrictMode>,
);
