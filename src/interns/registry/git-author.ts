import type { Query } from '#platform/db/db.ts'
import type { Intern } from './intern-store.ts'

/** The author of an intern's commits, unless a repository or a command specifies another one. */
export type GitAuthor = { name: string; email: string }

/** Returns the git author for an intern, which commits on behalf of its creator. */
export async function findGitAuthor(
  { query }: { query: Query },
  { id, name, creatorUserId }: Pick<Intern, 'id' | 'name' | 'creatorUserId'>,
): Promise<GitAuthor> {
  const user = await query
    .selectFrom('users')
    .select(['name', 'email'])
    .where('id', '=', creatorUserId)
    .executeTakeFirst()
  if (!user) return { name, email: `${id}@interns.invalid` }
  return { name: `${name} on behalf of ${user.name}`, email: user.email }
}
