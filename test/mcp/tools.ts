import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'

/** One transparent pixel. */
export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

/** A typical MCP server, made with the official SDK. `end` ends its process, or closes its connection. */
export function newToolServer({ secret, end }: { secret: string | undefined; end: () => void }): McpServer {
  const server = new McpServer({ name: 'tools of the tests', version: '1' })
  const text = (message: string) => ({ content: [{ type: 'text' as const, text: message }] })
  server.registerTool(
    'add',
    { description: 'Adds two numbers.', inputSchema: { a: z.number(), b: z.number() } },
    ({ a, b }) => text(String(a + b)),
  )
  server.registerTool('secret', { description: 'Returns its credential.' }, () => text(`It is ${secret}.`))
  server.registerTool('fail', { description: 'Fails.' }, () => ({ ...text('no such issue'), isError: true }))
  server.registerTool('draw', { description: 'Draws.' }, () => ({
    content: [
      { type: 'text', text: 'A pixel:' },
      { type: 'image', mimeType: 'image/png', data: pixel },
      { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
      { type: 'resource', resource: { uri: 'note://1', text: 'A note.' } },
    ],
  }))
  server.registerTool('flood', { description: 'Says much.', inputSchema: { bytes: z.number() } }, ({ bytes }) =>
    text('x'.repeat(bytes)),
  )
  server.registerTool('die', { description: 'Ends the server.' }, () => {
    end()
    return text('unheard')
  })
  server.registerTool('hang', { description: 'Does nothing at all any more.' }, () => {
    for (;;);
  })
  server.registerTool('dawdle', { description: 'Never answers.' }, () => new Promise<never>(() => {}))
  server.registerTool(
    'work',
    { description: 'Reports progress.', inputSchema: { reports: z.number(), everyMs: z.number() } },
    async ({ reports, everyMs }, { _meta, sendNotification }) => {
      for (let progress = 1; progress <= reports; progress++) {
        await setTimeout(everyMs)
        const progressToken = _meta?.progressToken
        if (progressToken === undefined) continue
        await sendNotification({ method: 'notifications/progress', params: { progressToken, progress } })
      }
      return text('worked')
    },
  )
  server.registerTool('write', { description: 'Writes a file.', inputSchema: { path: z.string() } }, ({ path }) => {
    writeFileSync(path, 'written')
    return text('written')
  })
  server.registerTool('read', { description: 'Reads a file.', inputSchema: { path: z.string() } }, ({ path }) =>
    text(readFileSync(path, 'utf8')),
  )
  server.registerTool('grow', { description: 'Gets one more tool.' }, () => {
    server.registerTool('grown', { description: 'Is new.' }, () => text('new'))
    return text('grown')
  })
  registerAskingTools(server)
  const pay = server.registerTool('pay', { description: 'Returns a price.' }, () => text('1 EUR'))
  server.registerTool('turn', { description: 'Makes another tool of one.' }, () => {
    pay.update({ description: 'Pays a price.' })
    return text('turned')
  })
  return server
}

const page = { mode: 'url' as const, url: 'https://pay.example/1', elicitationId: 'e1', message: 'Pay the invoice.' }

/** Tools that send requests to the client during a call. They return its answers. */
function registerAskingTools(mcp: McpServer): void {
  const json = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] })
  const requestedSchema = {
    type: 'object' as const,
    properties: { region: { type: 'string' as const } },
    required: ['region'],
  }
  const timeout = { timeout: 60_000 }
  mcp.registerTool('ask', { description: 'Asks the user.' }, async (extra) =>
    json(
      await mcp.server.elicitInput(
        { mode: 'form', message: 'Which region?', requestedSchema },
        { ...timeout, relatedRequestId: extra.requestId },
      ),
    ),
  )
  mcp.registerTool('show', { description: 'Shows a page.' }, async (extra) =>
    json(await mcp.server.elicitInput(page, { ...timeout, relatedRequestId: extra.requestId })),
  )
  let isPaid = false
  mcp.registerTool('visit', { description: 'Needs a page.' }, () => {
    if (isPaid) return json('paid')
    isPaid = true
    throw new UrlElicitationRequiredError([page])
  })
  mcp.registerTool('roots', { description: 'Lists roots.' }, async (extra) =>
    json(
      mcp.server.getClientCapabilities()?.roots
        ? (await mcp.server.listRoots({}, { relatedRequestId: extra.requestId })).roots
        : null,
    ),
  )
  mcp.registerTool('sample', { description: 'Calls the model of the client.' }, async () =>
    json(
      await mcp.server
        .request({ method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }, z.any())
        .catch((error: Error) => error.message),
    ),
  )
}
