import { describeConnectionFailure } from '#platform/core/connection-failure.ts'

/** The largest response of a server, or event in a stream of events, which can stay open for days. */
const maxBytes = 32 * 1024 * 1024
const maxRedirects = 5

/**
 * `fetch` for untrusted servers: fails for a response above `maxBytes`, and for a redirect to another server. Such a redirect would
 * carry the configured headers and the arguments of tools there, or reach services that only this host can reach.
 */
export async function boundedFetch(
  fetch: typeof globalThis.fetch,
  url: string | URL,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetchFromServer(fetch, new URL(url), init)
  if (!response.body) return response
  const isEventStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
  let bytes = 0
  const byteCounter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const eventEnd = isEventStream ? findLastEventEnd(chunk) : -1
      bytes = eventEnd === -1 ? bytes + chunk.length : chunk.length - eventEnd
      if (bytes > maxBytes) controller.error(new Error(`The server sent more than ${maxBytes} bytes.`))
      else controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(byteCounter), { status, statusText, headers })
}

/** Returns the start of the last empty line, which ends an event; -1 without one. */
function findLastEventEnd({ buffer, byteOffset, length }: Uint8Array<ArrayBufferLike>): number {
  const bytes = Buffer.from(buffer, byteOffset, length)
  return Math.max(bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\r\n\r\n'))
}

/** Follows redirects only to the same server. */
async function fetchFromServer(fetch: typeof globalThis.fetch, url: URL, init?: RequestInit): Promise<Response> {
  let target = url
  let request = init
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(target, { ...request, redirect: 'manual' }).catch((error: Error) => {
      // The message of "fetch" itself is only "fetch failed".
      throw request?.signal?.aborted
        ? error
        : new Error(describeConnectionFailure(error, target.host), { cause: error })
    })
    const location = response.headers.get('location')
    if (location === null || ![301, 302, 303, 307, 308].includes(response.status)) return response
    await response.body?.cancel()
    const next = URL.parse(location, target)
    if (redirects === maxRedirects || next === null) throw new Error('it redirects without end, or to no address')
    if (!isSameServer(target, next))
      throw new Error(
        `it redirects to another server, ${next.origin}; if that is intended, set its address as the "url"`,
      )
    // The Fetch standard also turns a POST into a GET after 301, 302 and 303.
    if (response.status < 307 && request?.method === 'POST') request = { ...request, method: 'GET', body: null }
    target = next
  }
}

/** Whether both URLs have the same origin, or `to` is the server of `from` with TLS. */
const isSameServer = (from: URL, to: URL) =>
  from.origin === to.origin ||
  (from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname && to.port === '')
