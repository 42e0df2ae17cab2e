import { readBodyText } from '#platform/text/body-text.ts'

/** The largest response of an issuer: a hundred times the metadata and keys of a large one. */
const maxBytes = 1024 * 1024

const statusesWithoutBody = [204, 205, 304]

/** `fetch` for an issuer. Rejects for a response over 1 MiB, which would be read into memory as a whole. */
export function limitIssuerResponses(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { status, statusText, headers } = response
    const text = await readBodyText(response, maxBytes)
    return new Response(statusesWithoutBody.includes(status) ? null : text, { status, statusText, headers })
  }
}
