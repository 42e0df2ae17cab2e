import { createInterface } from 'node:readline'

/**
 * A server over stdio that lists the tools of its first argument, a JSON array, as they are written there: the SDK's own
 * server would correct them. A call answers with the tool's name and its arguments.
 */
const tools: unknown[] = JSON.parse(process.argv[2] ?? '[]')
const pageSize = Number(process.argv[3] ?? tools.length)

type Request = {
  id?: number
  method: string
  params?: { cursor?: string; name?: string; arguments?: unknown; protocolVersion?: string }
}

function resultOf({ method, params }: Request): object | undefined {
  if (method === 'initialize')
    return {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'listing', version: '1' },
    }
  if (method === 'tools/list') {
    const from = Number(params?.cursor ?? 0)
    const to = from + pageSize
    return { tools: tools.slice(from, to), ...(to < tools.length && { nextCursor: String(to) }) }
  }
  if (method === 'tools/call')
    return { content: [{ type: 'text', text: `${params?.name} ${JSON.stringify(params?.arguments)}` }] }
  return method === 'ping' ? {} : undefined
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request
  if (request.id === undefined) continue
  const result = resultOf(request)
  const answer = result ? { result } : { error: { code: -32601, message: `unknown method ${request.method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer })}\n`)
}
