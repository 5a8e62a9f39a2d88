/** `light` or `dark`: what the page is shown in, by the settings or by the system. */
export function theme() {
  const isDark = window.matchMedia('(prefers-color-scheme: dark)').matches;
  return document.documentElement.dataset.theme ?? (isDark ? 'dark' : 'light');
}
