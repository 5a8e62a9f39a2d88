/** What the page looks like now. */

/** Whether the system is dark. */
export const DARK = window.matchMedia('(prefers-color-scheme: dark)');

/** `light` or `dark`: what the page is shown in, by the settings or by the system. */
export function theme() {
  return document.documentElement.dataset.theme ?? (DARK.matches ? 'dark' : 'light');
}
