import type { Caller, CallerScope } from '#identity/accounts/caller.ts'

/**
 * The caller that reads past requests. `role` is the role of a key's member; `access` is set only for a signed-in member, whose
 * `keyKind` is `management` unless they are a developer.
 */
export type RequestReader = CallerScope & Pick<Caller, 'keyKind' | 'keyHash' | 'userId' | 'role' | 'access'>

/** The caller that reads the texts of past requests. */
export type TextReader = Pick<Caller, 'keyKind' | 'keyHash' | 'userId' | 'access'>

/**
 * Whether a caller that can see a request can also read texts that quote its prompt. The member who sent the request, a
 * management key, and a signed-in owner or admin can; a signed-in viewer cannot. The key of an intern can for its own requests.
 */
export function canReadTexts(
  { keyKind, keyHash, userId, access }: TextReader,
  request: { user_id: string; key_hash: string },
): boolean {
  if (keyKind === 'intern') return request.key_hash === keyHash
  return request.user_id === userId || (keyKind === 'management' && access !== 'viewer')
}

/** The requests that a caller can see: those of the organization with this value in the column. */
export type VisibleRows = {
  column: 'organization_id' | 'workspace_id' | 'key_hash' | 'user_id'
  value: string
  organizationId: string
}

/**
 * A management key sees the requests of its organization or of one workspace, and an intern's key its own. A developer's key sees
 * the requests of all keys of this developer in the organization. Every other key sees those of its workspace.
 */
export function visibleRows({ keyKind, role, isWorkspaceScoped, ...reader }: RequestReader): VisibleRows {
  const { organizationId } = reader
  const ofWorkspace = { column: 'workspace_id', value: reader.workspaceId, organizationId } as const
  switch (keyKind) {
    case 'management':
      return isWorkspaceScoped ? ofWorkspace : { column: 'organization_id', value: organizationId, organizationId }
    case 'intern':
      return { column: 'key_hash', value: reader.keyHash, organizationId }
    case 'api':
      return role === 'developer' ? { column: 'user_id', value: reader.userId, organizationId } : ofWorkspace
    default:
      return keyKind satisfies never
  }
}
