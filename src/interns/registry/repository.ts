import { credentialLabel } from '#identity/provider-keys/credential.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import type { Query } from '#platform/db/db.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'

const Url = text({ min: 1, max: 2048 })
  .refine(isRepositoryUrl, {
    error:
      'must be an https:// URL without user, query or fragment, such as https://git.example.com/team/widgets.git; a password goes into "credential"',
  })
  .meta({ pattern: '^https?://' })
  .describe('An https URL, or http for a server that the operator allows (setting `repository_origins`).')

const Ref = text({ min: 1, max: 255 })
  .refine(isRefName, { error: 'must be the name of a branch or of a tag' })
  .describe('The branch or tag to check out. Defaults to the default branch.')

const visibleAscii = /^[\x21-\x7e]+$/
const Credential = strictFields({
  username: z
    .string()
    .trim()
    .min(1)
    .max(256)
    .regex(/^[\x21-\x39\x3b-\x7e]+$/, 'must be visible ASCII without spaces and colons')
    .default('git')
    .describe('Most servers that accept tokens accept any user name.'),
  password: z
    .string()
    .trim()
    .min(1)
    .max(4096)
    .regex(visibleAscii, 'must be visible ASCII without spaces')
    .describe(
      'A token with read access to this repository. It is encrypted at rest and never returned, also not to the intern.',
    ),
})

export const NewRepository = strictFields({
  url: Url,
  ref: Ref.optional(),
  depth: z.int().min(1).max(1_000_000).optional().describe('Number of commits to fetch. Defaults to all.'),
  credential: Credential.optional(),
}).meta({ id: 'NewRepository', description: 'The repository that is cloned into the workspace of an intern.' })
export type NewRepository = z.infer<typeof NewRepository>

/** A repository as the API returns it. */
export const Repository = z
  .object({
    url: z.string(),
    ref: z.string().nullable(),
    depth: z.int().nullable(),
    folder: z.string().describe('The working folder, relative to the workspace.'),
    credential: z.object({ username: z.string(), label: z.string().describe('The masked password.') }).nullable(),
  })
  .meta({
    id: 'Repository',
    description: 'The repository that is cloned into the workspace of an intern. The credential is never returned.',
  })
export type Repository = z.infer<typeof Repository>

export type RepositoryColumns = {
  repository: string | null
  repository_sealed: string | null
  repository_sealed_by: string | null
}

/** The stored columns of a repository. The password is encrypted for this intern alone. */
export function toRepositoryColumns(
  vault: Vault,
  internId: string,
  repository: NewRepository | null | undefined,
): RepositoryColumns {
  if (!repository) return { repository: null, repository_sealed: null, repository_sealed_by: null }
  const { credential } = repository
  const url = new URL(repository.url)
  const stored: Repository = {
    url: url.href,
    ref: repository.ref ?? null,
    depth: repository.depth ?? null,
    folder: cloneFolder(url),
    credential: credential ? { username: credential.username, label: credentialLabel(credential.password) } : null,
  }
  return {
    repository: JSON.stringify(stored),
    repository_sealed: credential ? vault.seal(credential.password, encryptionContext(internId)) : null,
    repository_sealed_by: credential ? vault.keyName : null,
  }
}

/** The password of an intern's repository, for the one process that clones it. */
export async function readRepositoryPassword(
  { db, vault }: { db: { query: Query }; vault: Vault },
  internId: string,
): Promise<string | undefined> {
  const row = await db.query
    .selectFrom('interns')
    .where('id', '=', internId)
    .select('repository_sealed')
    .executeTakeFirst()
  return row?.repository_sealed ? vault.open(row.repository_sealed, encryptionContext(internId)) : undefined
}

const encryptionContext = (internId: string) => `repository of ${internId}`

function isRepositoryUrl(value: string): boolean {
  const url = /^https?:\/\/[^\s\\]+$/i.test(value) && URL.parse(value)
  if (!url) return false
  return url.username === '' && url.password === '' && !/[?#]/.test(value) && url.pathname !== '/'
}

/** Whether a name follows the rules of `git check-ref-format`, and does not look like an option. */
function isRefName(value: string): boolean {
  if (/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(\/|$)/.test(value)) return false
  return !/^[-./@]|[./]$/.test(value)
}

/** Well below the 255 bytes that file systems allow for a name. */
const maxFolderLength = 100

/**
 * Returns the folder of a clone. It is never hidden: the workspace is the agent's home folder, with its settings in hidden
 * folders.
 */
function cloneFolder({ pathname }: URL): string {
  const last = pathname.replace(/\/+$/, '').split('/').at(-1) ?? ''
  const name = last.replace(/\.git$/, '').replace(/[^A-Za-z0-9._-]+/g, '-')
  return /^[A-Za-z0-9]/.test(name) ? name.slice(0, maxFolderLength) : 'repository'
}
