// Times as people say them. Pure: now is handed in.
const UNITS: [number, string][] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
];

/** "40 s", "14 min", "3 h", "2 d". */
export function span(seconds: number): string {
  const positive = Math.max(0, seconds);
  for (const [size, word] of UNITS) if (positive >= size) return `${Math.floor(positive / size)} ${word}`;
  return `${Math.floor(positive)} s`;
}

/** "14 min ago", "in 5 s", "now". */
export function ago(at: string | number | null | undefined, now: number): string {
  if (at === null || at === undefined || at === "") return "never";
  const seconds = (now - millisecondsOf(at)) / 1000;
  if (seconds >= 1) return `${span(seconds)} ago`;
  return seconds <= -1 ? `in ${span(-seconds)}` : "now";
}

/** The server writes moments as RFC 3339, evidence as seconds since 1970. */
export function millisecondsOf(at: string | number): number {
  return typeof at === "number" ? at * 1000 : Date.parse(at);
}

let format: Intl.DateTimeFormat | undefined;
/** Made once and when it is needed: it is the dearest thing a page could make for every row. */
const here = () => {
  format ??= new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
  return format;
};

export function exact(at: string | number, utc: boolean): string {
  const date = new Date(millisecondsOf(at));
  if (utc)
    return `${date
      .toISOString()
      .replace("T", " ")
      .replace(/\.\d+Z/, "")} UTC`;
  return here().format(date);
}

/** "05:01:07", with the date where it is not today's. */
export function timeOf(at: string | number, now: number, utc: boolean): string {
  const zone = utc ? { timeZone: "UTC" } : {};
  const date = new Date(typeof at === "number" ? at : Date.parse(at));
  const day = (when: Date) => when.toLocaleDateString("en-CA", zone);
  const time = date.toLocaleTimeString("en-GB", zone) + (utc ? " UTC" : "");
  return day(date) === day(new Date(now)) ? time : `${day(date)} ${time}`;
}

/** A mark of an axis of time: the day where it is another than that of the mark before, else the hour. */
export function clock(at: number, before: number | undefined, utc: boolean): string {
  const zone = utc ? { timeZone: "UTC" } : {};
  const said = (seconds: number, how: Intl.DateTimeFormatOptions) =>
    new Date(seconds * 1000).toLocaleString("en-GB", { ...zone, ...how });
  const day = said(at, { day: "numeric", month: "short" });
  const fine = before !== undefined && at - before < 60;
  const hour = said(at, { hour: "2-digit", minute: "2-digit", ...(fine ? { second: "2-digit" } : {}) });
  return before !== undefined && said(before, { day: "numeric", month: "short" }) !== day ? day : hour;
}
