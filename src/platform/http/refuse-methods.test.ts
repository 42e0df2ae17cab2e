import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import Fastify, { type FastifyInstance, type HTTPMethods } from 'fastify'
import { findShadowedMethods, type KnownPath, listKnownPaths } from './known-paths.ts'
import { refuseOtherMethods } from './refuse-methods.ts'
import type { AnyRoute } from './route.ts'

type Entry = [method: string, path: string]

const tableOf = (entries: Entry[]) =>
  listKnownPaths(
    entries.map(([method, path]) => ({ method, path }) as AnyRoute<unknown, unknown>),
    '/api',
  )

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const newApp = () =>
  Fastify({ routerOptions: { maxParamLength: 1024, ignoreTrailingSlash: true }, exposeHeadRoutes: false })

/** Answers with its path, or with the methods that the path allows. */
function respondBy(app: FastifyInstance, { url, allow }: KnownPath, method: HTTPMethods, takes: boolean) {
  app.route({
    method,
    url,
    handler: (_request, reply) =>
      takes ? reply.header('path', url).send() : reply.code(405).headers({ allow }).send(),
  })
}

/** An entry for every path and method. It needs no other code, but many entries. */
function withAllEntries(paths: KnownPath[]) {
  const app = newApp()
  for (const path of paths) for (const method of methods) respondBy(app, path, method, path.methods.has(method))
  return app
}

function refusing(paths: KnownPath[]) {
  const app = newApp()
  for (const path of paths) for (const method of path.methods) respondBy(app, path, method, true)
  refuseOtherMethods(app, paths)
  app.setErrorHandler((_error, _request, reply) => reply.code(405).send())
  return app
}

const part = fc.constantFrom('a', 'b', 'all', '{id}', '{slug}')
const path = fc
  .array(part, { minLength: 1, maxLength: 3 })
  .filter((parts) => new Set(parts).size === parts.length)
  .map((parts) => `/${parts.join('/')}`)
const entry = fc.tuple(fc.constantFrom('get', 'post', 'delete', 'put'), path)
const table = fc.uniqueArray(entry, {
  maxLength: 12,
  selector: ([method, path]) => `${method} ${path.replace(/\{\w+\}/g, ':')}`,
})
const spelling = fc.constantFrom('a', '%61', 'b', 'all', 'a%2Fb', 'c', '%C3%A9', 'x'.repeat(50), '')
const target = fc
  .tuple(fc.array(spelling, { maxLength: 4 }), fc.constantFrom('', '/', '?a=/b'))
  .map(([parts, end]) => `/api${parts.map((one) => `/${one}`).join('')}${end}`)
const asking = fc.array(fc.tuple(fc.constantFrom(...methods), target), { minLength: 20, maxLength: 40 })

test('any table answers as if each path had an entry for each method', async () => {
  await fc.assert(
    fc.asyncProperty(table, asking, async (entries, requests) => {
      // Requests for one path have one spelling of its parameters.
      const byShape = new Map(entries.map(([, path]) => [path.replace(/\{\w+\}/g, ':'), path]))
      const paths = tableOf(entries.map(([method, path]) => [method, byShape.get(path.replace(/\{\w+\}/g, ':'))!]))
      const [expected, tried] = [withAllEntries(paths), refusing(paths)]
      for (const [method, url] of requests) {
        const [one, other] = await Promise.all([expected, tried].map((app) => app.inject({ method, url })))
        const facts = [one!, other!].map(({ statusCode, headers }) => [statusCode, headers.path, headers.allow])
        assert.deepEqual(facts[1], facts[0], `${method} ${url} of ${JSON.stringify(entries)}`)
      }
    }),
    { numRuns: 30 },
  )
})

test('a path has an entry for a method only if another path would match it', () => {
  const paths = tableOf([
    ['post', '/keys/all'],
    ['get', '/keys/{hash}'],
    ['delete', '/keys/{hash}'],
    ['post', '/keys/all/try'],
    ['patch', '/keys/{hash}/{name}'],
    ['put', '/other'],
  ])
  const contested = [...findShadowedMethods(paths)].map(([{ url }, methods]) => [url, methods.sort().join()])
  assert.deepEqual(Object.fromEntries(contested), {
    '/api/keys/all': 'DELETE,GET,HEAD',
    '/api/keys/all/try': 'PATCH',
  })
})
