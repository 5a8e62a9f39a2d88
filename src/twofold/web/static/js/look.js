/** What the page looks like now. */

const DARK = window.matchMedia('(prefers-color-scheme: dark)');

/** Whether the page is dark, by the settings or by the system. */
export function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === 'dark' : DARK.matches;
}
