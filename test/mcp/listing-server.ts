import { createInterface } from 'node:readline'
import { publicServers } from './public-tools.ts'

/**
 * A server over stdio that lists tools unchanged; the server of the SDK would correct them. Its first argument is a JSON array
 * of tools, an object with a page for each cursor, or the name of a server in `public-tools.json`. A call answers with the tool's name and its arguments; a call of
 * `raw` answers with its argument `result`.
 */
const [, , listed = '[]'] = process.argv
const parsed = publicServers.find(({ name }) => name === listed)?.tools ?? JSON.parse(listed)
const tools: unknown[] = Array.isArray(parsed) ? parsed : []
const pageSize = Number(process.argv[3] ?? tools.length)

type Request = {
  id?: number
  method: string
  params?: { cursor?: string; name?: string; arguments?: { result?: object | null }; protocolVersion?: string }
}

function resultOf({ method, params }: Request): object | null | undefined {
  if (method === 'initialize')
    return {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'listing', version: '1' },
    }
  if (method === 'tools/list' && !Array.isArray(parsed)) return parsed[params?.cursor ?? 'first']
  if (method === 'tools/list') {
    const from = Number(params?.cursor ?? 0)
    const to = from + pageSize
    return { tools: tools.slice(from, to), ...(to < tools.length && { nextCursor: String(to) }) }
  }
  if (method === 'tools/call' && params?.name === 'raw') return params.arguments?.result
  if (method === 'tools/call')
    return { content: [{ type: 'text', text: `${params?.name} ${JSON.stringify(params?.arguments)}` }] }
  return method === 'ping' ? {} : undefined
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request
  if (request.id === undefined) continue
  const result = resultOf(request)
  const answer =
    result !== undefined ? { result } : { error: { code: -32601, message: `unknown method ${request.method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer })}\n`)
}
