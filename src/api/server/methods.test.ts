import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { test } from 'node:test'
import pino from 'pino'
import { createApp } from '#platform/http/app.ts'
import { mountRoutes } from '#platform/http/mount.ts'
import { createRequestTracker, trackRequests } from '#platform/http/response/request-tracking.ts'
import type { Route } from '../routes/route.ts'
import { routes } from '../routes/routes.ts'

const methods = METHODS.filter((method) => method !== 'CONNECT')
const prefix = '/api/v1'
const paths = [...new Set(routes.map(({ path }) => path))]

/** The route table with handlers that only return their path. */
const silent = routes.map(
  ({ request: _, ...route }): Route => ({ ...route, key: 'none', handler: () => ({ path: route.path }) }),
)

/** A server with that table, and the routes of its finished requests. */
async function serve({ origins = [] }: { origins?: string[] } = {}) {
  const app = createApp({
    log: pino({ level: 'silent' }),
    bodyLimit: 1000,
    prefix,
    origins,
    timeouts: { headersMs: 15_000, requestMs: 60_000, checkEveryMs: 5_000 },
  })
  const finished: string[] = []
  trackRequests(
    app,
    createRequestTracker(({ route }) => finished.push(route)),
  )
  mountRoutes(app, silent, {
    deps: undefined as never,
    prefix,
    admit: () => undefined as never,
    hostOf: () => undefined,
    uploadPace: { bytesPerSecond: 1000, pauseMs: 30_000 },
  })
  await app.ready()
  const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const url = prefix + path.replace(/\{\w+\}/g, 'some')
    return app.inject({ method: method as 'GET', url, headers: { host: 'localhost', ...headers } })
  }
  return { ask, finished, [Symbol.asyncDispose]: () => app.close() }
}

/** The methods that the table has for a path. */
function allowOf(path: string): string[] {
  const of = routes.filter((route) => route.path === path)
  const heads = of.filter(({ method, events, downloads }) => method === 'get' && !events && !downloads)
  return [...of.map(({ method }) => method.toUpperCase()), ...heads.map(() => 'HEAD')].sort()
}

test('every path accepts the methods of its routes and refuses all others', async () => {
  await using service = await serve()
  for (const path of paths) {
    const allow = allowOf(path)
    for (const method of methods) {
      const { statusCode, headers } = await service.ask(method, path)
      const about = `${method} ${path}`
      if (allow.includes(method)) assert.ok(statusCode < 400 && !headers.allow, `${about} is ${statusCode}`)
      else assert.deepEqual([about, statusCode, headers.allow], [about, 405, allow.join(', ')])
    }
  }
})

test('every path answers the preflight request of another origin', async () => {
  const origin = 'https://app.example.com'
  await using service = await serve({ origins: [origin] })
  for (const path of paths) {
    const request = { origin, 'access-control-request-method': 'POST' }
    const { statusCode, headers } = await service.ask('OPTIONS', path, request)
    const allow = allowOf(path).join(', ')
    assert.deepEqual([path, statusCode, headers.allow], [path, 204, `${allow}, OPTIONS`])
    assert.equal(headers['access-control-allow-methods'], allow)
  }
})

test('a refused method counts for its path', async () => {
  await using service = await serve()
  for (const path of paths) await service.ask('QUERY', path)
  assert.deepEqual(
    service.finished,
    paths.map((path) => prefix + path.replace(/\{(\w+)\}/g, ':$1')),
  )
})

test('a parameter that is too long is reported before a wrong method', async () => {
  await using service = await serve()
  for (const method of ['GET', 'PUT', 'QUERY']) {
    const { statusCode, body } = await service.ask(method, `/keys/${'x'.repeat(1025)}`)
    assert.deepEqual([method, statusCode], [method, 400])
    assert.match(body, /A part of the path has more than 1024 characters/)
  }
})

test('a path refuses WebSockets', async () => {
  await using service = await serve()
  const { statusCode, headers } = await service.ask('GET', '/responses', { upgrade: 'websocket' })
  assert.deepEqual([statusCode, headers.upgrade], [426, 'HTTP/1.1'])
  assert.equal((await service.ask('GET', '/nope', { upgrade: 'websocket' })).statusCode, 404)
})
