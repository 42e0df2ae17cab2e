import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
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
  const pay = server.registerTool('pay', { description: 'Returns a price.' }, () => text('1 EUR'))
  server.registerTool('turn', { description: 'Makes another tool of one.' }, () => {
    pay.update({ description: 'Pays a price.' })
    return text('turned')
  })
  return server
}
