import type { TestService } from './service.ts'

/** Another member of the organization with an API key of the same workspace, unless told, as a client of the service. */
export async function colleague(service: TestService, name = 'grace', more: object = {}) {
  await service.manage('POST', '/organization/members', { email: `${name}@example.com`, name })
  const wanted = { name, creator_user_id: `${name}@example.com`, ...more }
  const { body } = await service.manage('POST', '/keys', wanted)
  const ask: TestService['ask'] = (method, path, options) => service.ask(method, path, { key: body.key, ...options })
  return { ask, key: body.key as string, hash: body.data.hash as string, userId: body.data.creator_user_id as string }
}
