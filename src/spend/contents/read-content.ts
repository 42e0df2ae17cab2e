import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import type { Caller, CallerScope } from '#identity/accounts/caller.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import type { Content } from './content.ts'

const inflateAsync = promisify(inflateRaw)

type Reader = CallerScope & Pick<Caller, 'keyKind' | 'keyHash' | 'userId'>

/**
 * Selects the contents that a caller can read: a management key reads those of its organization, an intern's key reads its
 * own, and every other key reads those of its member.
 */
export function readableContents(query: Query | Tx, { keyKind, keyHash, userId, ...scope }: Reader) {
  const { organizationId, workspaceId, isWorkspaceScoped } = scope
  const contentsOfOrganization = query
    .selectFrom('generation_contents')
    .innerJoin('workspaces', 'workspaces.id', 'generation_contents.workspace_id')
    .where('generation_contents.organization_id', '=', organizationId)
    .whereRef('generation_contents.created_at', '>=', 'workspaces.contents_since')
  if (keyKind === 'management' && !isWorkspaceScoped) return contentsOfOrganization
  if (keyKind === 'management')
    return contentsOfOrganization.where('generation_contents.workspace_id', '=', workspaceId)
  if (keyKind === 'intern') return contentsOfOrganization.where('generation_contents.key_hash', '=', keyHash)
  return contentsOfOrganization
    .where('generation_contents.workspace_id', '=', workspaceId)
    .where('generation_contents.user_id', '=', userId)
}

export const contentNotFound = () =>
  new Fault(
    'not_found',
    'The content of this generation is not stored. It may not be written yet (that takes up to a second), or its workspace does not store contents (is_observability_io_logging_enabled).',
  )

/** @throws Fault `not_found` for content that is not stored, or that the caller must not read. */
export async function readContent(
  { db, vault }: { db: Pick<Db, 'reportQuery'>; vault: Vault },
  caller: Reader,
  id: string,
): Promise<Content> {
  const row = await readableContents(db.reportQuery, caller)
    .where('generation_contents.id', '=', id)
    .select('generation_contents.sealed')
    .executeTakeFirst()
  if (!row) throw contentNotFound()
  return JSON.parse((await inflateAsync(vault.openBytes(row.sealed, id))).toString('utf8')) as Content
}
