// The ground under all pages: colours, and Mantine without the styles it would write into the document.
// Its variables are ours in theme.css, so that the content policy need not allow inline styles.
import { createTheme, MantineProvider, useMantineColorScheme } from "@mantine/core";
import type { ReactNode } from "react";

const theme = createTheme({
  cursorType: "pointer",
  fontFamily: "var(--font)",
  defaultRadius: 6,
  respectReducedMotion: true,
});

export function Root({ children }: { children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      deduplicateInlineStyles={false}
    >
      {children}
    </MantineProvider>
  );
}

export type Colours = "light" | "dark" | "auto";

export function useColours(): [Colours, (colours: Colours) => void] {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return [colorScheme, setColorScheme];
}
