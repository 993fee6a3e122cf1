import { signal } from "@preact/signals";

/** A theme as a person chooses it; `system` follows the computer. */
export type Theme = "system" | "light" | "dark";

const KEY = "inspector-theme";
const next: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };

/** The theme that was chosen. */
export const theme = signal<Theme>("system");

/** Applies the theme now and whenever the computer's changes. */
export function followTheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  theme.value = (localStorage.getItem(KEY) as Theme | null) ?? "system";
  const apply = () => {
    const chosen = theme.value === "system" ? (dark.matches ? "dark" : "light") : theme.value;
    document.documentElement.dataset.theme = chosen;
  };
  dark.addEventListener("change", apply);
  theme.subscribe(apply);
}

/** Changes to the next theme, and keeps the choice for later visits. */
export function changeTheme(): void {
  theme.value = next[theme.value];
  localStorage.setItem(KEY, theme.value);
}
