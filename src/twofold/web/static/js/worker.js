/** Has the browser keep the page, see service_worker.js. */

/** Register the worker; it does nothing that the page needs, so that a failure is no fault. */
export function keepPage() {
  navigator.serviceWorker?.register('/service_worker.js').catch((error) => console.info(error));
}
