/** The path of the page of a key. */
export const keyPath = ({ hash }: { hash: string }): string => `/keys/key/${encodeURIComponent(hash)}`
