import { createIntern } from '#interns/lifecycle/create-intern.ts'
import { InternResponse, NewIntern } from '#interns/registry/intern.ts'
import { Fault } from '#platform/core/fault.ts'
import { HttpResponse } from '#platform/http/route.ts'
import { z } from '#platform/json/schema.ts'
import { requireRepository } from '../../interns/intern-repository.ts'
import { toInternResponse } from '../../interns/intern-response.ts'
import { requireAgent, requireModel } from '../../interns/require-agent.ts'
import { route } from '../route.ts'

const IdempotencyKey = z.string().min(1).max(255)

export const createInternRoute = route({
  method: 'post',
  path: '/interns',
  tag: 'interns',
  key: 'api',
  summary: 'Create an intern',
  description:
    'With `provision`, the intern starts at once. Its name is unique among the interns of its creator in the workspace.',
  request: { body: NewIntern },
  status: 201,
  isIdempotent: true,
  response: InternResponse,
  faults: [
    'invalid',
    'unauthenticated',
    'forbidden',
    'not_found',
    'conflict',
    'payload_too_large',
    'unsupported_media_type',
  ],
  bodyLimit: 1024 * 1024,
  handler: async ({ body, caller, headers }, deps) => {
    requireAgent(deps, body.agent ?? null)
    requireModel(deps.catalogue.current(), body)
    requireRepository(deps, body.repository)
    const { intern, replayed } = await createIntern(deps, caller, body, idempotencyKey(headers['idempotency-key']))
    const created = await toInternResponse(deps, intern)
    return replayed ? new HttpResponse(200, {}, created) : created
  },
})

function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const parsed = IdempotencyKey.safeParse(header)
  if (parsed.success) return parsed.data
  throw new Fault('invalid', 'Invalid request: Idempotency-Key: must have 1 to 255 characters')
}
