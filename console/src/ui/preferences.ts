// What one person likes on this browser; nothing of it leaves it.
import { useSyncExternalStore } from "react";

const changed = new EventTarget();

export function usePreference(name: string, usual: string): [string, (value: string) => void] {
  const value = useSyncExternalStore(
    (told) => {
      changed.addEventListener("change", told);
      return () => changed.removeEventListener("change", told);
    },
    () => localStorage.getItem(`setpoint.${name}`) ?? usual,
  );
  return [
    value,
    (next) => {
      localStorage.setItem(`setpoint.${name}`, next);
      changed.dispatchEvent(new Event("change"));
    },
  ];
}

export function useUtc(): [boolean, (utc: boolean) => void] {
  const [value, set] = usePreference("utc", "no");
  return [value === "yes", (utc) => set(utc ? "yes" : "no")];
}
