// The first file that runs: it asks for what the page will need while the console itself is still being read.
import { meQuery } from "@/api/access";
import { client } from "@/api/client";
import { askAhead, askAheadOfFrame } from "./ahead";
import { PAGES } from "./pages";

const page = PAGES[location.pathname];
if (page) {
  const search = Object.fromEntries(new URLSearchParams(location.search));
  void page();
  void client.prefetchQuery(meQuery);
  askAhead(location.pathname, search);
  askAheadOfFrame(search);
}
void import("./main");
