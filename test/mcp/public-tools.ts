import { readFileSync } from 'node:fs'

export type PublicTool = { name: string; description?: string; inputSchema: object }
/** A public MCP server and the tools that it lists, as recorded by `record-public-tools.ts`. */
type PublicServer = { name: string; package: string; version: string; tools: PublicTool[] }

export const publicServers: PublicServer[] = JSON.parse(
  readFileSync(new URL('public-tools.json', import.meta.url), 'utf8'),
)
