/** A response of JSON-RPC, with a result or an error. */
type JsonRpcResponse = { id: number | string; error?: unknown }

export function isJsonRpcResponse(value: unknown): value is JsonRpcResponse {
  if (typeof value !== 'object' || value === null || !('id' in value) || 'method' in value) return false
  return typeof value.id === 'number' || typeof value.id === 'string'
}

/** Some servers omit the version, or add an error that is null to a result. */
export function repairJsonRpcResponse({ error, ...response }: JsonRpcResponse): object {
  return { jsonrpc: '2.0', ...response, ...(error !== null && error !== undefined && { error }) }
}

/** Repairs the JSON-RPC responses in an HTTP response: JSON, or a stream of server-sent events. */
export async function repairHttpResponse(response: Response): Promise<Response> {
  const { body, status, statusText, headers } = response
  const type = headers.get('content-type') ?? ''
  if (!body || !response.ok) return response
  if (/^application\/json\b/i.test(type))
    return new Response(repairText(await response.text()), { status, statusText, headers })
  if (!/^text\/event-stream\b/i.test(type)) return response
  const repaired = body.pipeThrough(new TextDecoderStream()).pipeThrough(eventRepairer())
  return new Response(repaired.pipeThrough(new TextEncoderStream()), { status, statusText, headers })
}

/** Returns the text unchanged if it contains no `"error": null`. */
function repairText(text: string): string {
  if (!/"error"\s*:\s*null/.test(text)) return text
  try {
    const value: unknown = JSON.parse(text)
    const repaired = Array.isArray(value) ? value.map(repairIfResponse) : repairIfResponse(value)
    return JSON.stringify(repaired)
  } catch {
    return text
  }
}

const repairIfResponse = (value: unknown) => (isJsonRpcResponse(value) ? repairJsonRpcResponse(value) : value)

/** Repairs the data of each event. Servers send a message in one line. */
function eventRepairer(): TransformStream<string, string> {
  let pieces: string[] = []
  const repairLine = (line: string) => (line.startsWith('data:') ? `data:${repairText(line.slice(5))}` : line)
  return new TransformStream({
    transform(piece, controller) {
      const end = piece.lastIndexOf('\n')
      if (end === -1) return void pieces.push(piece)
      const lines = (pieces.join('') + piece.slice(0, end)).split('\n')
      pieces = [piece.slice(end + 1)]
      controller.enqueue(`${lines.map(repairLine).join('\n')}\n`)
    },
    flush(controller) {
      controller.enqueue(repairLine(pieces.join('')))
    },
  })
}
