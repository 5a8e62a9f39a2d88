/** Addresses that people can read. */

const READABLE = { '%2C': ',', '%2F': '/', '%3A': ':', '%3D': '=' };

/**
 * A query or fragment whose signs stay signs where none of them separates anything.
 *
 * @param {URLSearchParams} params
 */
export function readable(params) {
  return params.toString().replace(/%2C|%2F|%3A|%3D/g, (code) => READABLE[code]);
}
