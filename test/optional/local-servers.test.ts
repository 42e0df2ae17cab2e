/**
 * Model servers that other people wrote, as upstreams, with a tiny model that `make_model.py` writes.
 * `npm run test:local-servers` installs them from their packages and prints the table of servers and behaviours. A server
 * that cannot be installed is skipped. LOCAL_SERVERS_FOLDER keeps the installed servers for the next run,
 * LOCAL_SERVERS_ONLY names the servers to try. Needs Python 3 with venv; llama-cpp-python also needs a C++ compiler and
 * CMake, and takes half an hour to build.
 */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startTestService } from '#test/harness/service/service.ts'
import {
  installedVersion,
  installPackages,
  makeModel,
  type RunningServer,
  startServer,
} from './local-servers/install.ts'
import { plays } from './local-servers/plays.ts'
import { behaviours, contextTokens, type LocalServer, servers } from './local-servers/servers.ts'

const skip = process.env.TEST_LOCAL_SERVERS ? false : 'model servers are tried by "npm run test:local-servers" only'
const only = process.env.LOCAL_SERVERS_ONLY?.split(',')
const stack = new AsyncDisposableStack()
after(() => stack.disposeAsync())

const key = 'sk-local-key'
const rows: string[] = []
let [folder, model]: string[] = []
/** Other servers forward to this one. */
let llamaCpp: Promise<RunningServer> | undefined

test('local model servers behave through the gateway as on their own', { skip }, async (t) => {
  folder = process.env.LOCAL_SERVERS_FOLDER ?? temporaryFolder()
  mkdirSync(folder, { recursive: true })
  model = makeModel(folder)
  for (const server of servers.filter(({ name }) => !only || only.includes(name)))
    await t.test(server.name, async (serverTest) => {
      const bin = installed(server)
      if (bin === undefined) return serverTest.skip('its packages cannot be installed here')
      const cells: string[] = []
      await using world = await openWorld(server, bin)
      for (const behaviour of behaviours)
        await serverTest.test(behaviour, { timeout: 900_000 }, async () => {
          const lack = server.lacks[behaviour]
          cells.push(lack ? `lacking: ${lack}` : 'FAILED')
          if (lack) return
          await plays[behaviour](world)
          cells.splice(-1, 1, 'holds')
        })
      const head = `${server.name} ${installedVersion(bin, server.versionOf)}`
      rows.push(...behaviours.map((behaviour, at) => `${head.padEnd(32)} ${behaviour.padEnd(30)} ${cells[at]}`))
    })
  for (const row of rows) t.diagnostic(row)
  assert.ok(rows.length > 0, 'no server could be installed')
})

function temporaryFolder(): string {
  const temporary = mkdtempSync(join(tmpdir(), 'signalbox-local-servers-'))
  stack.defer(() => rmSync(temporary, { recursive: true, force: true }))
  return temporary
}

function installed({ name, packages, overrides }: LocalServer): string | undefined {
  try {
    return installPackages(join(folder!, `env-${name}`), packages, overrides)
  } catch (error) {
    console.log(`${name} is skipped: ${(error as Error).message.split('\n')[0]}`)
    return undefined
  }
}

async function openWorld(server: LocalServer, bin: string) {
  const place = { model: model!, bin, key }
  const start = (which: LocalServer, binOf: string, upstream = '') =>
    startServer(which, folder!, { ...place, bin: binOf, upstream }).then((running) => stack.use(running))
  const base = servers[0]!
  if (server.isProxy || server === base)
    llamaCpp ??= start(base, installPackages(join(folder!, `env-${base.name}`), base.packages))
  const running = server === base ? await llamaCpp! : await start(server, bin, (await llamaCpp)?.url)
  const prices = { prompt: 0, completion: 0 }
  const provider = (slug: string, variable: string) => ({
    ...{ name: slug, protocol: 'openai-chat', base_url: running.url, credentials: [variable] },
    ...(slug === 'local' && { discover: true, prices }),
  })
  const endpoint = { model: 'tiny', prices }
  const refused = {
    name: 'Refused',
    created: '2026-01-01',
    context_length: contextTokens,
    endpoints: { refused: endpoint },
  }
  const catalogue = {
    providers: { local: provider('local', 'LOCAL_KEY'), refused: provider('refused', 'WRONG_KEY') },
    models: { 'refused/tiny': refused },
  }
  const catalogue_file = join(folder!, 'catalogue.json')
  writeFileSync(catalogue_file, JSON.stringify(catalogue))
  const service = await startTestService({
    settings: { catalogue_file, starter_catalogue: 'false' as never },
    variables: { LOCAL_KEY: key, WRONG_KEY: 'sk-wrong-key' },
  })
  return {
    ...{ service, model: 'local/tiny', refusedModel: 'refused/tiny', server: running },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
