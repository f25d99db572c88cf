// For tests only: a component as pages have it, with colours, a cache and an address around it.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
  useLocation,
} from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { Root } from "./Root";

export async function drawn(shown: ReactNode, address = "/now?scope=acme"): Promise<QueryClient> {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  const page = createRootRoute({
    component: () => (
      <>
        {shown}
        <Address />
      </>
    ),
    notFoundComponent: () => (
      <>
        {shown}
        <Address />
      </>
    ),
  });
  const router = createRouter({
    routeTree: page,
    history: createMemoryHistory({ initialEntries: [address] }),
  });
  render(
    <Root>
      <QueryClientProvider client={client}>
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </Root>,
  );
  await screen.findByTestId("address");
  return client;
}

function Address() {
  const { href } = useLocation();
  return <output data-testid="address">{href}</output>;
}
