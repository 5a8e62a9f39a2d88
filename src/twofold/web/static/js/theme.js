// Runs before the first paint, so that a chosen theme does not flash; settings.js keeps it.
(function applyTheme() {
  try {
    const { theme } = JSON.parse(window.localStorage.getItem('twofold.settings')) ?? {};
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // no storage: the system's theme
  }
}());
