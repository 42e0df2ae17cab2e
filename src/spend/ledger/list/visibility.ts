import type { Caller, CallerScope } from '#identity/accounts/caller.ts'

/** The caller that reads past requests. */
export type Visibility = CallerScope & Pick<Caller, 'keyKind' | 'keyHash' | 'userId' | 'role' | 'access'>

/** The caller that reads the texts of past requests. */
export type TextReader = Pick<Caller, 'keyKind' | 'keyHash' | 'userId' | 'access'>

/**
 * Whether a caller that can see a request can also read texts that quote its prompt. Owners, admins, management keys and
 * the member who sent the request can; the key of an intern only for its own requests.
 */
export function canReadTexts(
  { keyKind, keyHash, userId, access }: TextReader,
  request: { user_id: string; key_hash: string },
): boolean {
  if (keyKind === 'intern') return request.key_hash === keyHash
  return request.user_id === userId || (keyKind === 'management' && access !== 'viewer')
}

/**
 * The column by which a caller's generations are found, and its value. A management key sees those of its organization
 * or of one workspace, and an intern's key its own. A developer sees those of their keys in the workspace. Every other key
 * sees those of its workspace.
 */
export function visibilityOf({ keyKind, keyHash, organizationId, workspaceId, userId, role, ...scope }: Visibility) {
  switch (keyKind) {
    case 'management':
      return scope.isWorkspaceScoped
        ? (['workspace_id', workspaceId] as const)
        : (['organization_id', organizationId] as const)
    case 'intern':
      return ['key_hash', keyHash] as const
    case 'api':
      return role === 'developer' ? (['user_id', userId] as const) : (['workspace_id', workspaceId] as const)
    default:
      return keyKind satisfies never
  }
}
