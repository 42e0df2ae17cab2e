import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { routes } from '#api/routes/routes.ts'
import examples from '#api/server/examples.json' with { type: 'json' }
import { newEmptyTestStore } from '../../harness/database/databases.ts'
import { runningIntern } from '../../harness/interns/interns.ts'
import { endDaemonsIn } from '../../harness/service/leftovers.ts'
import {
  departures,
  leaveRequest,
  openFiles,
  phases,
  type RawRequest,
} from '../../harness/service/load/left-requests.ts'
import { startProcess } from '../../harness/service/server-process.ts'
import { until } from '../../harness/until.ts'
import { speaker, startBillingUpstream } from '../../harness/upstream/faulty/billing-upstream.ts'

const managementKey = `sb-v1-${'a'.repeat(64)}`
const apiKey = `sb-v1-${'b'.repeat(64)}`
const limit = 1_000_000
/** Clients that leave at the same time. */
const clients = 8

type Example = { params?: Record<string, string>; body?: unknown }

/** Operations that would end the intern, or the sessions and services that other requests use. */
const destructive = /^(delete|post) .*\{internId\}(\/(suspend|move|give-up|provision))?$|intern-hosts/

const streamed: Record<string, object> = {
  '/chat/completions': { messages: [{ role: 'user', content: 'Hi' }] },
  '/responses': { input: 'Hi' },
  '/messages': { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 300 },
}

function requestsOf(limitedKey: string): RawRequest[] {
  const ofRoutes = routes.map((route): RawRequest => {
    const name = `${route.method} ${route.path}`
    const { params = {}, body } = (examples as Record<string, Example>)[name] ?? {}
    const intern = destructive.test(name) ? 'none' : 'ada'
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, field) =>
      field === 'internId' ? intern : (params[field] ?? 'none'),
    )
    const spends = route.path in streamed || path.endsWith('chat/completions')
    const key = spends ? limitedKey : route.key === 'management' ? managementKey : apiKey
    const json = streamed[route.path]
      ? { model: 'billed/speaker', max_tokens: 300, stream: true, ...streamed[route.path] }
      : (body ?? {})
    const query = path.includes('/files') ? '?path=left' : ''
    return {
      name,
      method: route.method.toUpperCase(),
      target: `/api/v1${path}${query}`,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': route.uploads ? 'application/octet-stream' : 'application/json',
      },
      body: route.uploads ? Buffer.alloc(2_000_000) : Buffer.from(route.method === 'get' ? '' : JSON.stringify(json)),
    }
  })
  const pages = ['/', '/requests', '/api/v1/openapi.json', '/api/v1/docs', '/api/v1/nothing'].map((target) => ({
    ...{ name: target, method: 'GET', target, headers: { accept: 'text/html' }, body: Buffer.alloc(0) },
  }))
  return [...ofRoutes, ...pages]
}

/** A server process with a priced provider, a key with a limit, and an intern that runs. */
async function startWorld() {
  const testStore = await newEmptyTestStore('sqlite')
  const upstream = await startBillingUpstream({ speaker })
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-left-'))
  const endpoints = { billing: { model: 'speaker', prices: { prompt: 1, completion: 100 } } }
  const catalogue = {
    providers: { billing: { name: 'Billing', protocol: 'openai-chat', base_url: upstream.url } },
    models: { 'billed/speaker': { name: 'speaker', created: '2026-01-01', context_length: 200_000, endpoints } },
  }
  writeFileSync(join(folder, 'catalogue.json'), JSON.stringify(catalogue))
  const server = startProcess({
    ...{ DATA_DIR: testStore.settings.data_dir, LOG_FORMAT: 'json', CONSOLE: 'true' },
    ...{ BOOTSTRAP_MANAGEMENT_KEY: managementKey, BOOTSTRAP_API_KEY: apiKey },
    CATALOGUE_FILE: join(folder, 'catalogue.json'),
  })
  const url = new URL(await server.url)
  const ask = async (
    method: string,
    path: string,
    { body, key = apiKey }: { body?: unknown; key?: string | null } = {},
  ) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) ?? null })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined, headers: response.headers }
  }
  await runningIntern({ ask })
  const limited = await ask('POST', '/keys', { key: managementKey, body: { name: 'limited', limit } })
  return {
    ...{ server, url, ask, limitedKey: limited.body.key as string },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
      endDaemonsIn(testStore.settings.data_dir)
      await testStore.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type World = Awaited<ReturnType<typeof startWorld>>

async function leaveAll(
  { url, ask }: World,
  requests: RawRequest[],
  combinations: [number, number][],
): Promise<number> {
  const pending = requests.flatMap((request) => combinations.map(([phase, way]) => ({ request, phase, way })))
  const count = pending.length
  const client = async () => {
    for (let next = pending.shift(); next; next = pending.shift()) {
      const { request, phase, way } = next
      await leaveRequest(connect(Number(url.port), url.hostname), request, phases[phase]!, departures[way]!)
      assert.equal(
        (await ask('GET', '/health')).status,
        200,
        `after ${request.name}, ${phases[phase]}, ${departures[way]}`,
      )
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return count
}

const combinations = phases.flatMap((_, phase) => departures.map((_, way): [number, number] => [phase, way]))

/** Waits until the server counts nothing in flight, and the limit of the key has nothing reserved. */
async function settled({ ask, limitedKey }: World): Promise<void> {
  let seen = ''
  await until(
    async () => {
      seen = (await ask('GET', '/metrics', { key: managementKey })).text
      const figures = [/^signalbox_http_requests_in_flight 1$/m, /^signalbox_answers_in_flight 0$/m]
      return figures.every((figure) => figure.test(seen))
    },
    180_000,
    () => seen.match(/^signalbox_\w*in_flight.*$/gm)?.join(' ') ?? '',
  )
  await until(
    async () => {
      const { data } = (await ask('GET', '/key', { key: limitedKey })).body
      seen = JSON.stringify(data)
      return data.limit_held === 0
    },
    180_000,
    () => seen,
  )
}

test('clients that leave any route at any phase leave nothing behind', { timeout: 900_000 }, async (context) => {
  await using world = await startWorld()
  const requests = requestsOf(world.limitedKey)
  await leaveAll(world, requests, [[3, 0]])
  await settled(world)
  const filesBefore = openFiles(world.server.pid)
  const count = await leaveAll(world, requests, combinations)
  await settled(world)
  let files = 0
  await until(
    () => {
      files = openFiles(world.server.pid)
      // Connections of this test's own client stay open.
      return files <= filesBefore
    },
    180_000,
    () => `${files} open files, ${filesBefore} before`,
  )
  context.diagnostic(`${count} requests left`)
  assert.deepEqual(world.server.err().match(/^.*"level":(50|60).*$/gm), null)
})
