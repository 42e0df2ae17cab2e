import type { Caller } from '#identity/accounts/caller.ts'

/** The caller who asks for past requests. */
export type Visibility = Pick<Caller, 'keyKind' | 'keyHash' | 'organizationId' | 'workspaceId' | 'userId' | 'role'>

/**
 * The column by which a caller's generations are found, and its value: a management key sees its organization's, an
 * intern's own key its own, a developer those of all their keys, every other key its workspace's.
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
