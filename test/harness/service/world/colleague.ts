import type { TestService } from '../service.ts'

/** Adds a member with an API key of the same workspace, or of the one that `more` names, as a client of the service. */
export async function addColleague(service: TestService, name = 'grace', more: Record<string, unknown> = {}) {
  const workspaces = [{ workspace: more.workspace_id ?? 'default' }]
  await service.manage('POST', '/organization/members', { email: `${name}@example.com`, name, workspaces })
  const newKey = { name, creator_user_id: `${name}@example.com`, ...more }
  const { body } = await service.manage('POST', '/keys', newKey)
  const ask: TestService['ask'] = (method, path, options) => service.ask(method, path, { key: body.key, ...options })
  return { ask, key: body.key as string, hash: body.data.hash as string, userId: body.data.creator_user_id as string }
}
