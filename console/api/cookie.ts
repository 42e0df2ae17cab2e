const yearSeconds = 31_536_000

/** Stores a setting that the service reads when it renders the next page. @param value undefined removes it. */
export function storeCookie(name: string, value: string | undefined): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs TLS
  document.cookie = `${name}=${value}; Path=/; SameSite=Strict; Max-Age=${value === undefined ? 0 : yearSeconds}`
}
