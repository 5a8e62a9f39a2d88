/**
 * Loads the page again.
 *
 * Where a link on another page leads here the browser keeps the cookie back, and the server answers
 * that the token is missing. Asked again from that answer the browser sends it.
 */
window.location.reload();
