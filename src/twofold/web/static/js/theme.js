// Runs before the first paint, so that a chosen theme does not flash; settings.js keeps it.
(function applyTheme() {
  try {
    const { theme, palette } = JSON.parse(window.localStorage.getItem('twofold.settings')) ?? {};
    const { dataset } = document.documentElement;
    if (theme === 'light' || theme === 'dark') dataset.theme = theme;
    if (palette && palette !== 'usual') dataset.palette = palette;
  } catch {
    // no storage: the system's theme
  }
}());
