import type { ApiClient } from '../kit/api-client.ts'
import { allMembers } from './members.ts'

/**
 * Of what narrowed a list to nothing, what is not there: it is probably misspelt. It is told beside the empty list, and
 * is no failure, because members and workspaces that are no more have requests in the log, too.
 */
export async function unknownNames(
  client: ApiClient,
  { member, workspace }: { member?: string | undefined; workspace?: string | undefined },
): Promise<string[]> {
  const told: string[] = []
  if (member !== undefined) {
    const isMember = (await allMembers(client)).some(({ id, email }) => id === member || email === member.toLowerCase())
    if (!isMember) told.push(`No member has the address "${member}": "npx signalbox members list" shows them all.`)
  }
  if (workspace !== undefined) {
    const workspaces = await client.listAll<{ id: string; slug: string }>('/workspaces')
    if (!workspaces.some(({ id, slug }) => id === workspace || slug === workspace))
      told.push(`There is no workspace "${workspace}": "npx signalbox workspaces list" shows them all.`)
  }
  return told
}
