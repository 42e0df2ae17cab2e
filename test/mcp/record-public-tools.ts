/**
 * Records what public MCP servers list as their tools into `public-tools.json`: `node test/mcp/record-public-tools.ts FOLDER`.
 * In FOLDER the packages of npm are installed in `node_modules`, those of PyPI in a virtual environment named `py`.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const folder = resolve(process.argv[2] ?? '.')
const work = join(folder, 'work')

type PublicServer = { name: string; package: string; bin: string; args?: string[]; isPython?: true }
const official = (name: string, args: string[] = []) =>
  ({ name, package: `@modelcontextprotocol/server-${name}`, bin: `mcp-server-${name}`, args }) satisfies PublicServer
const python = (name: string) =>
  ({ name, package: `mcp-server-${name}`, bin: `mcp-server-${name}`, isPython: true }) satisfies PublicServer

const servers: PublicServer[] = [
  official('everything'),
  python('fetch'),
  official('filesystem', [work]),
  python('git'),
  official('github'),
  official('memory'),
  { name: 'playwright', package: '@playwright/mcp', bin: 'playwright-mcp', args: ['--caps', 'vision,pdf,testing'] },
  official('postgres', ['postgres://127.0.0.1:1/none']),
  official('sequential-thinking'),
  python('time'),
]

async function record({ name, package: packageName, bin, args = [], isPython }: PublicServer) {
  const command = join(folder, isPython ? 'py/bin' : 'node_modules/.bin', bin)
  const transport = new StdioClientTransport({ command, args, cwd: work, env: { PATH: process.env.PATH ?? '' } })
  const client = new Client({ name: 'record', version: '1' })
  await client.connect(transport)
  const { tools } = await client.request({ method: 'tools/list', params: {} })
  await client.close()
  console.log(`${name}: ${tools.length} tools`)
  return { name, package: packageName, version: isPython ? pythonVersion(packageName) : npmVersion(packageName), tools }
}

const npmVersion = (name: string): string =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version

const pythonVersion = (name: string): string =>
  execFileSync(join(folder, 'py/bin/python'), [
    '-c',
    `from importlib.metadata import version; print(version('${name}'))`,
  ])
    .toString()
    .trim()

mkdirSync(work, { recursive: true })
const recorded = []
for (const server of servers) recorded.push(await record(server))
writeFileSync(new URL('public-tools.json', import.meta.url), `${JSON.stringify(recorded, null, 1)}\n`)
