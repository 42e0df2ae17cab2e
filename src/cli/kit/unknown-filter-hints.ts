import type { ApiClient } from './api-client.ts'
import { listAllMembers } from './find.ts'

/**
 * Returns a hint for each filter value that does not exist, which is probably misspelt. Printed with an empty list. It is
 * not an error, because deleted members and workspaces still have requests in the log.
 */
export async function unknownFilterHints(
  client: ApiClient,
  { member, workspace }: { member?: string | undefined; workspace?: string | undefined },
): Promise<string[]> {
  const hints: string[] = []
  if (member !== undefined) {
    const isMember = (await listAllMembers(client)).some(
      ({ id, email }) => id === member || email === member.toLowerCase(),
    )
    if (!isMember) hints.push(`Member "${member}" not found. To list all: npx signalbox members list`)
  }
  if (workspace !== undefined) {
    const workspaces = await client.listAll<{ id: string; slug: string }>('/workspaces')
    if (!workspaces.some(({ id, slug }) => id === workspace || slug === workspace))
      hints.push(`Workspace "${workspace}" not found. To list all: npx signalbox workspaces list`)
  }
  return hints
}
