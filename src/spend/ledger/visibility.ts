import type { Caller } from '#identity/accounts/caller.ts'

/** The caller that reads past requests. */
export type Visibility = Pick<Caller, 'keyKind' | 'keyHash' | 'organizationId' | 'workspaceId' | 'userId' | 'role'>

/**
 * The column and value that select the generations of a caller: of the organization for a management key, of the key for
 * an intern, of all their keys for a developer, and of the workspace for other keys.
 */
export function visibilityOf({ keyKind, keyHash, organizationId, workspaceId, userId, role }: Visibility) {
  switch (keyKind) {
    case 'management':
      return ['organization_id', organizationId] as const
    case 'intern':
      return ['key_hash', keyHash] as const
    case 'api':
      return role === 'developer' ? (['user_id', userId] as const) : (['workspace_id', workspaceId] as const)
    default:
      return keyKind satisfies never
  }
}
