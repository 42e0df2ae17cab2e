import type { FastifyInstance } from 'fastify'
import { once } from '#platform/async/once.ts'
import { sendAnswer } from '#platform/http/mount.ts'
import { createCacheableAnswer, negotiateAnswer } from '#platform/http/response/cacheable-answer.ts'
import { apiPrefix } from '../access/prefix.ts'
import { referencePage, referencePolicy } from '../pages/reference/page.ts'
import type { Document } from '../pages/reference/shape.ts'
import { describeApi } from './description.ts'

const pageHeaders = {
  'content-security-policy': referencePolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Serves the API description as an OpenAPI document and as a page. Each is rendered once, at its first request. */
export function mountDescription(app: FastifyInstance): void {
  const description = once(describeApi)
  const document = once(() => createCacheableAnswer('application/json; charset=utf-8', JSON.stringify(description())))
  const page = once(() => createCacheableAnswer('text/html; charset=utf-8', referencePage(description() as Document)))
  app.get(`${apiPrefix}/openapi.json`, async (request, reply) =>
    sendAnswer(reply, await negotiateAnswer(request.headers, document())),
  )
  app.get(`${apiPrefix}/docs`, async (request, reply) =>
    sendAnswer(reply.headers(pageHeaders), await negotiateAnswer(request.headers, page())),
  )
}
