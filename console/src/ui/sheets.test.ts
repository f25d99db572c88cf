// @vitest-environment node
// All sheets are one when the console is built: what one page calls its own must hit nothing of another's.
import { expect, test } from "vitest";

const SHEETS = import.meta.glob<string>("../**/*.css", { query: "?raw", import: "default", eager: true });
/** Classes that everybody may combine with their own. */
const WORDS = "./page.css";

interface Rule {
  sheet: string;
  selector: string;
  classes: string[];
}

const rules = Object.entries(SHEETS).flatMap(([sheet, text]) =>
  selectorsOf(text).map(
    (selector): Rule => ({
      sheet,
      selector,
      classes: [...selector.matchAll(/\.([\w-]+)/g)].map(([, name = ""]) => name),
    }),
  ),
);
/** Where a class is described on its own: by a rule about one element that names no other class. */
const homes = new Map<string, Set<string>>();
for (const { sheet, selector, classes } of rules) {
  const [only = ""] = classes;
  if (classes.length === 1 && compounds(selector).length === 1)
    homes.set(only, (homes.get(only) ?? new Set()).add(sheet));
}
const isPage = (sheet: string) => sheet.includes("/pages/");
const prefixOf = (sheet: string) => `${sheet.split("/").at(-1)?.replace(".css", "")}-`;

const isOwn = (name: string, sheet: string) =>
  isPage(sheet) ? name.startsWith(prefixOf(sheet)) : isAtHome(name, sheet);

test("a class is described in one sheet", () => {
  expect(homes.size).toBeGreaterThan(150);
  expect([...homes].filter(([, sheets]) => sheets.size > 1)).toEqual([]);
});

test("every rule of a page's sheet is about a class that begins with the sheet's name", () => {
  const astray = rules.filter(
    ({ sheet, classes }) => isPage(sheet) && !classes.some((name) => isOwn(name, sheet)),
  );
  expect(astray.map(({ sheet, selector }) => `${sheet}: ${selector}`)).toEqual([]);
});

test("a rule about classes of other sheets also names one of its own", () => {
  const astray = rules.filter(
    ({ sheet, classes }) =>
      classes.length > 0 && classes.every((name) => homes.has(name) && !isAtHome(name, sheet)),
  );
  expect(astray.map(({ sheet, selector }) => `${sheet}: ${selector}`)).toEqual([]);
});

test("a class that only modifies another one is no class that some sheet describes", () => {
  const astray = rules.flatMap(({ sheet, selector }) =>
    compounds(selector)
      .filter((classes) => classes.length > 1)
      .flatMap((classes) => classes.filter((name) => ![sheet, WORDS].some((home) => isAtHome(name, home))))
      .filter((name) => homes.has(name))
      .map((name) => `${sheet}: ${selector} (${name})`),
  );
  expect(astray).toEqual([]);
});

const isAtHome = (name: string, sheet: string) => homes.get(name)?.has(sheet) ?? false;

/** The classes that stand together on one element, for each element of a selector. */
function compounds(selector: string): string[][] {
  return selector
    .split(/[\s>+~]+/)
    .map((part) => [...part.matchAll(/\.([\w-]+)/g)].map(([, name = ""]) => name));
}

/** Every selector of a sheet, those inside of `@media` too. */
function selectorsOf(text: string): string[] {
  const plain = text.replace(/\/\*[\s\S]*?\*\//g, "");
  return [...plain.matchAll(/([^{};]+)\{/g)]
    .flatMap(([, selectors = ""]) => (selectors.trim().startsWith("@") ? [] : separate(selectors)))
    .filter((selector) => selector !== "from" && selector !== "to" && !selector.endsWith("%"));
}

/** At commas, but not at those inside of brackets. */
function separate(selectors: string): string[] {
  return selectors.split(/,(?![^(]*\))/).map((each) => each.replace(/\s+/g, " ").trim());
}
