/** Normalizes a host: without its port, in lower case. */
export function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '')
}
