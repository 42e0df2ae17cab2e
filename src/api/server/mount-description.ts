import type { FastifyInstance } from 'fastify'
import { once } from '#platform/async/once.ts'
import { sendResponse } from '#platform/http/mount.ts'
import { createCacheableResponse, negotiateResponse } from '#platform/http/response/cacheable-response.ts'
import { apiPrefix } from '../access/prefix.ts'
import { referenceContentSecurityPolicy, referencePage } from '../pages/reference/page.ts'
import type { Document } from '../pages/reference/shape.ts'
import { describeApi } from './description.ts'

const pageHeaders = {
  'content-security-policy': referenceContentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Serves the API description as an OpenAPI document and as a page. Each is rendered once, at its first request. */
export function mountDescription(app: FastifyInstance): void {
  const description = once(describeApi)
  const document = once(() => createCacheableResponse('application/json; charset=utf-8', JSON.stringify(description())))
  const page = once(() => createCacheableResponse('text/html; charset=utf-8', referencePage(description() as Document)))
  app.get(`${apiPrefix}/openapi.json`, async (request, reply) =>
    sendResponse(reply, await negotiateResponse(request.headers, document())),
  )
  app.get(`${apiPrefix}/docs`, async (request, reply) =>
    sendResponse(reply.headers(pageHeaders), await negotiateResponse(request.headers, page())),
  )
}
