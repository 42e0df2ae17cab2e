import { explainTlsOrProxyFailure } from '#platform/core/connection-failure.ts'

/** The largest answer of a server. */
const maxBytes = 32 * 1024 * 1024

/** `fetch` for untrusted servers: fails for an answer above `maxBytes`. */
export async function boundedFetch(
  fetch: typeof globalThis.fetch,
  url: string | URL,
  init?: RequestInit,
): Promise<Response> {
  const answer = await fetch(url, init).catch((error: Error) => {
    const explained = explainTlsOrProxyFailure(error, new URL(url).host)
    throw explained === undefined ? error : new Error(explained, { cause: error })
  })
  if (!answer.body) return answer
  let bytes = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length
      if (bytes > maxBytes) controller.error(new Error(`The server sent more than ${maxBytes} bytes.`))
      else controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = answer
  return new Response(answer.body.pipeThrough(counted), { status, statusText, headers })
}
